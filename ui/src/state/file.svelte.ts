// A file while its text is open: what it says, what is typed, and what the engine finds in that.
import { type ApiError, type Backend, toApiError } from '../backend/backend';
import type { EditOutcome } from '../bindings/EditOutcome';
import type { EditRequest } from '../bindings/EditRequest';
import type { FileView } from '../bindings/FileView';
import { Editing } from './edit.svelte';

const CHECK_MS = 250;

export class FileDraft {
  /** As it is on disk. */
  file = $state.raw<FileView | null>(null);
  /** What was found in the text as it is typed. */
  found = $state.raw<FileView | null>(null);
  text = $state.raw('');
  failed = $state.raw<ApiError | null>(null);
  readonly edit: Editing;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  constructor(
    private readonly backend: Backend,
    readonly source: string,
  ) {
    this.edit = new Editing(backend);
  }

  /** No derived value: answers that come when the file has closed ask for it still. */
  get dirty(): boolean {
    return this.file !== null && this.text !== this.file.text;
  }

  /** Reads the file, unless there is something typed that would be lost: then what saving would do is told anew. */
  async load(anyway = false): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const file = await this.backend.request({ cmd: 'file_text', source: this.source });
      if (turn !== this.#turn) return;
      if (this.dirty && !anyway) return this.#changed(file);
      this.failed = null;
      this.file = file;
      this.found = file;
      this.text = file.text;
      this.edit.reset();
    } catch (thrown) {
      if (turn === this.#turn) this.failed = toApiError(thrown);
    }
  }

  #changed(now: FileView): void {
    const base = this.file;
    if (base === null || this.edit.saving || this.edit.conflict !== null) return;
    // Our own writing: what was typed since stands on it.
    if (now.text === base.text) this.file = now;
    else this.edit.renew(this.#request(base.hash));
  }

  #request(base: string): EditRequest {
    return { op: 'text', source: this.source, base, text: this.text };
  }

  typed(text: string): void {
    this.text = text;
    this.edit.want(this.dirty && this.file !== null ? this.#request(this.file.hash) : null);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), CHECK_MS);
  }

  async #check(): Promise<void> {
    const { text } = this;
    try {
      const found = await this.backend.request({ cmd: 'check_text', source: this.source, text });
      if (text === this.text) this.found = found;
    } catch (thrown) {
      if (text === this.text) this.failed = toApiError(thrown);
    }
  }

  /** Writes the text; `over` the file as it is now, on purpose. */
  async save(over: string | null = null): Promise<EditOutcome | null> {
    if (this.file === null) return null;
    const { text } = this;
    const outcome = await this.edit.apply(this.#request(over ?? this.file.hash));
    if (outcome === null) return null;
    // At once: the news of this very write may ask for the file again, and find nothing typed that could be lost.
    this.file = { ...this.file, text, exists: true };
    this.edit.reset();
    await this.load();
    if (this.dirty) this.typed(this.text);
    return outcome;
  }
}
