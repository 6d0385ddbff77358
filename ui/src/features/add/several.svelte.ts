// Several servers to be added at once: what is wrong with each, told as they are chosen. The adding is one edit.
import { type ApiError, type Backend, toApiError } from '../../backend/backend';
import type { EditPreview } from '../../bindings/EditPreview';
import type { EditRequest } from '../../bindings/EditRequest';
import { PREVIEW_MS } from '../../state/edit.svelte';

export type Wanted = ReadonlyMap<number, EditRequest>;
export interface Trial {
  preview: EditPreview | null;
  error: ApiError | null;
}

export class Several {
  /** By the number of the server. */
  trials = $state.raw<ReadonlyMap<number, Trial>>(new Map());
  waiting = $state(false);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  constructor(private readonly backend: Backend) {}

  /** Each of them can be added. */
  readonly fine = $derived(!this.waiting && this.trials.size > 0 && [...this.trials.values()].every((trial) => trial.preview?.can_save === true));

  want(edits: Wanted): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.waiting = edits.size > 0;
    if (edits.size === 0) this.trials = new Map();
    else this.#timer = setTimeout(() => void this.#ask(edits), PREVIEW_MS);
  }

  async #ask(edits: Wanted): Promise<void> {
    const turn = this.#turn;
    const trials = await Promise.all([...edits].map(async ([at, edit]) => [at, await this.#try(edit)] as const));
    if (turn !== this.#turn) return;
    this.trials = new Map(trials);
    this.waiting = false;
  }

  async #try(edit: EditRequest): Promise<Trial> {
    try {
      return { preview: await this.backend.request({ cmd: 'preview_edit', edit }), error: null };
    } catch (thrown) {
      return { preview: null, error: toApiError(thrown) };
    }
  }
}
