// A text that somebody found, and the servers in it. Typing goes on; the text is looked at when it rests.
import { SvelteSet } from 'svelte/reactivity';
import { type ApiError, type Backend, toApiError } from '../../backend/backend';
import type { Offer } from './offer';

const LOOK_MS = 200;

export class Pasted {
  text = $state('');
  /** "A `claude mcp add` command". */
  what = $state<string | null>(null);
  servers = $state.raw<Offer[]>([]);
  readonly ticked = new SvelteSet<number>();
  error = $state.raw<ApiError | null>(null);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  constructor(private readonly backend: Backend) {}

  readonly many = $derived(this.servers.length > 1);
  readonly chosen = $derived(this.servers.filter((_, at) => this.ticked.has(at)));
  /** The one that the form is made of. */
  readonly only = $derived(this.chosen.length === 1 ? (this.chosen[0] ?? null) : null);

  type(text: string, soon = LOOK_MS): void {
    this.text = text;
    clearTimeout(this.#timer);
    this.#turn += 1;
    if (text.trim() === '') this.#take(null, []);
    else this.#timer = setTimeout(() => void this.#look(text.trim()), soon);
  }

  tick(at: number, on: boolean): void {
    if (on) this.ticked.add(at);
    else this.ticked.delete(at);
  }

  async #look(text: string): Promise<void> {
    const turn = this.#turn;
    try {
      const found = await this.backend.request({ cmd: 'import', text });
      if (turn === this.#turn) this.#take(found.what, found.servers);
    } catch (thrown) {
      if (turn !== this.#turn) return;
      this.#take(null, []);
      this.error = toApiError(thrown);
    }
  }

  #take(what: string | null, servers: Offer[]): void {
    this.what = what;
    this.error = null;
    this.ticked.clear();
    servers.forEach((_, at) => this.ticked.add(at));
    this.servers = servers;
  }

  /** Answers that are on their way are of no use any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
  }
}
