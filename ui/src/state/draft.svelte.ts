// A server that is there, while its form is open: what the file says, what is typed, and how the two come together.
import { type ApiError, type Backend, toApiError } from '../backend/backend';
import type { EditOutcome } from '../bindings/EditOutcome';
import type { EditRequest } from '../bindings/EditRequest';
import type { FormView } from '../bindings/FormView';
import type { ServerForm } from '../bindings/ServerForm';
import { Editing } from './edit.svelte';
import { emptyForm, fieldOf, rebase, sameForm, tidyForm } from './form';

export type Side = 'ours' | 'theirs';

export class ServerDraft {
  view = $state.raw<FormView | null>(null);
  /** Why the form could not be opened. */
  failed = $state.raw<ApiError | null>(null);
  base = $state.raw<ServerForm>(emptyForm());
  form = $state<ServerForm>(emptyForm());
  readonly edit: Editing;
  #turn = 0;

  constructor(
    private readonly backend: Backend,
    readonly id: string,
  ) {
    this.edit = new Editing(backend);
  }

  /** No derived value: answers that come when the form has closed ask for it still. */
  get dirty(): boolean {
    return this.view !== null && !sameForm(this.base, this.form);
  }

  /** What the file says now; what was typed is kept, and the preview told anew. */
  async load(): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const view = await this.backend.request({ cmd: 'server_form', id: this.id });
      if (turn !== this.#turn) return;
      this.failed = null;
      if (this.dirty) return this.typed();
      this.#put(view);
    } catch (thrown) {
      if (turn === this.#turn && !this.dirty) this.failed = toApiError(thrown);
    }
  }

  #put(view: FormView): void {
    this.view = view;
    this.base = view.form;
    this.form = structuredClone(view.form);
  }

  get #request(): EditRequest {
    return { op: 'edit', id: this.id, base: this.base, form: tidyForm($state.snapshot(this.form)) };
  }

  /** After each change of the form. */
  typed(): void {
    this.edit.want(this.view === null ? null : this.#request);
  }

  discard(): void {
    this.form = structuredClone(this.base);
    this.edit.reset();
  }

  async save(): Promise<EditOutcome | null> {
    const outcome = await this.edit.apply(this.#request);
    // From now on what was typed is what the file says.
    if (outcome !== null) {
      this.base = tidyForm($state.snapshot(this.form));
      if (outcome.id === null || outcome.id === this.id) await this.load();
    }
    return outcome;
  }

  /** Puts what was typed on the file as it is now, with theirs where that was chosen, and saves. */
  async settle(choices: Readonly<Record<string, Side>>): Promise<EditOutcome | null> {
    try {
      const { form: now } = await this.backend.request({ cmd: 'server_form', id: this.id });
      const theirs = new Set(Object.entries(choices).flatMap(([field, side]) => (side === 'theirs' ? [fieldOf(field)] : [])));
      this.form = rebase(this.base, $state.snapshot(this.form), now, theirs);
      this.base = now;
      this.edit.conflict = null;
    } catch (thrown) {
      this.edit.error = toApiError(thrown);
      return null;
    }
    // All theirs: the file already says it.
    return this.dirty ? this.save() : null;
  }
}
