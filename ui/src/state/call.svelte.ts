// Calls of tools: one for each tool, so that going to another tool and back finds the result still there.
import { SvelteMap } from 'svelte/reactivity';
import { type ApiError, type Backend, toApiError } from '../backend/backend';
import type { CallOutcome } from '../bindings/CallOutcome';

export type Call =
  | { state: 'running'; call: string; since: number }
  | { state: 'done'; outcome: CallOutcome }
  | { state: 'failed'; error: ApiError };

/** Calls are named apart from those of a window opened before. Not `crypto.randomUUID`: not every page may use it. */
const PAGE = `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
let nextCall = 0;

export class Calls {
  readonly #calls = new SvelteMap<string, Call>();
  /** What was typed, by tool. */
  readonly drafts = new Map<string, string>();

  constructor(private readonly backend: Backend) {}

  static key(id: string, tool: string): string {
    return JSON.stringify([id, tool]);
  }

  get(key: string): Call | null {
    return this.#calls.get(key) ?? null;
  }

  async start(id: string, tool: string, args: unknown): Promise<void> {
    const key = Calls.key(id, tool);
    if (this.#calls.get(key)?.state === 'running') return;
    nextCall += 1;
    const call = `${PAGE}-${nextCall}`;
    this.#calls.set(key, { state: 'running', call, since: Date.now() });
    try {
      const outcome = await this.backend.request({ cmd: 'call_tool', id, tool, arguments: args, call });
      this.#calls.set(key, { state: 'done', outcome });
    } catch (thrown) {
      this.#calls.set(key, { state: 'failed', error: toApiError(thrown) });
    }
  }

  async cancel(key: string): Promise<void> {
    const call = this.#calls.get(key);
    if (call?.state === 'running') await this.backend.request({ cmd: 'cancel_call', call: call.call });
  }
}
