// Keeps the model in step with the engine: subscribe, then snapshot, then deltas in unbroken order.
import { type Backend, toApiError } from '../backend/backend';
import type { Delta } from '../bindings/Delta';
import { type Model, step } from './model.svelte';

type Phase = 'loading' | 'ready' | 'unreachable';

/** Deltas are gathered for one frame: a start with 1,000 servers then draws once a frame, not once a delta. */
const GATHER_MS = 16;
const RETRY_MS = [500, 1000, 2000, 4000];

export class Sync {
  phase = $state<Phase>('loading');
  /** The stream broke while the window shows what it knew. */
  lost = $state(false);
  message = $state('');
  hint = $state<string | null>(null);

  readonly #backend: Backend;
  readonly #model: Model;
  #waiting: Delta[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #fetching = false;
  #unsubscribe = (): void => {};
  #attempt = 0;
  #stopped = false;

  constructor(backend: Backend, model: Model) {
    this.#backend = backend;
    this.#model = model;
  }

  async start(): Promise<void> {
    this.#stopped = false;
    if (this.phase === 'unreachable') this.phase = 'loading';
    this.#unsubscribe();
    this.#waiting = [];
    // Deltas that come before the snapshot wait for it.
    this.#fetching = true;
    try {
      this.#unsubscribe = await this.#backend.subscribe(
        (delta) => this.#receive(delta),
        () => this.#again(),
      );
      await this.#snapshot();
      this.#attempt = 0;
      this.lost = false;
    } catch (thrown) {
      const error = toApiError(thrown);
      this.message = error.message;
      this.hint = error.hint;
      if (this.phase === 'ready') this.#again();
      else this.phase = 'unreachable';
    }
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
    this.#unsubscribe();
  }

  #again(): void {
    if (this.#stopped) return;
    this.lost = true;
    const wait = RETRY_MS[Math.min(this.#attempt, RETRY_MS.length - 1)];
    this.#attempt += 1;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.start(), wait);
  }

  async #snapshot(): Promise<void> {
    this.#fetching = true;
    const snapshot = await this.#backend.request({ cmd: 'snapshot' });
    this.#model.replace(snapshot);
    this.phase = 'ready';
    this.#fetching = false;
    this.#flush();
  }

  #receive(delta: Delta): void {
    this.#waiting.push(delta);
    if (this.#fetching || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, GATHER_MS);
  }

  #flush(): void {
    if (this.#fetching) return;
    const deltas = this.#waiting;
    this.#waiting = [];
    for (const [index, delta] of deltas.entries()) {
      switch (step(this.#model.revision, delta.revision)) {
        case 'ignore':
          break;
        case 'apply':
          this.#model.apply(delta);
          break;
        case 'gap':
          // Keep what came after: the snapshot may be older than it.
          this.#waiting = deltas.slice(index);
          this.#snapshot().catch(() => this.#again());
          return;
      }
    }
  }
}
