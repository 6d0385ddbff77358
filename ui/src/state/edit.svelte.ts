// An edit while it is being made: what it would do, told as it is typed, and the doing of it.
import { untrack } from 'svelte';
import { type ApiError, type Backend, toApiError } from '../backend/backend';
import type { Conflict } from '../bindings/Conflict';
import type { EditOutcome } from '../bindings/EditOutcome';
import type { EditPreview } from '../bindings/EditPreview';
import type { EditRequest } from '../bindings/EditRequest';
import type { FieldProblem } from '../bindings/FieldProblem';
import type { FieldValue } from '../bindings/FieldValue';
import type { Model } from './model.svelte';

/** A word is typed to its end before the engine is asked about it. */
export const PREVIEW_MS = 150;

export class Editing {
  /** The last answer; while a newer one is on its way it stays, so that nothing flickers. */
  preview = $state.raw<EditPreview | null>(null);
  /** The preview does not yet tell of what is typed. */
  waiting = $state(false);
  saving = $state(false);
  /** Why the last preview or the last save failed. */
  error = $state.raw<ApiError | null>(null);
  conflict = $state.raw<Conflict | null>(null);
  /** A file was changed by someone else since it was first asked; what is shown is told anew. */
  renewed = $state(false);
  /** Fields about which nothing is said yet. */
  quiet: (field: string) => boolean = () => false;

  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  constructor(private readonly backend: Backend) {}

  readonly problems = $derived.by((): FieldProblem[] => {
    const all = [...(this.preview?.problems ?? []), ...(this.error?.problems ?? [])];
    // A refusal says again what the preview said.
    return all.filter((one, at) => all.findIndex((other) => other.field === one.field && other.message === one.message) === at);
  });
  readonly errors = $derived(this.problems.filter((problem) => problem.severity === 'error'));
  readonly canSave = $derived(!this.saving && !this.waiting && this.preview?.can_save === true);

  problemsOf = (field: string): FieldProblem[] => (this.quiet(field) ? [] : this.problems.filter((problem) => problem.field === field));
  valueOf = (field: string): FieldValue | null => this.preview?.values.find((value) => value.field === field) ?? null;

  /** Asks what this edit would do, soon. `null`: there is nothing to be done. */
  want(edit: EditRequest | null, soon = PREVIEW_MS): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.error = null;
    if (edit === null) {
      this.preview = null;
      this.waiting = false;
      return;
    }
    this.waiting = true;
    this.#timer = setTimeout(() => void this.#ask(edit), soon);
  }

  async #ask(edit: EditRequest): Promise<void> {
    const turn = this.#turn;
    try {
      const preview = await this.backend.request({ cmd: 'preview_edit', edit });
      if (turn !== this.#turn) return;
      this.preview = preview;
    } catch (thrown) {
      if (turn !== this.#turn) return;
      this.preview = null;
      this.error = toApiError(thrown);
    }
    this.waiting = false;
  }

  /** Does it. `null` when it failed: `error` then says why, or `conflict` has both sides. */
  async apply(edit: EditRequest): Promise<EditOutcome | null> {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.waiting = false;
    this.saving = true;
    this.error = null;
    try {
      const outcome = await this.backend.request({ cmd: 'apply_edit', edit });
      this.conflict = null;
      this.preview = null;
      return outcome;
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.code === 'conflict' && error.conflict !== null) this.conflict = error.conflict;
      else this.error = error;
      return null;
    } finally {
      this.saving = false;
    }
  }

  /** The same question again, now that the file is another. */
  renew(edit: EditRequest): void {
    if (this.saving) return;
    this.renewed = true;
    this.want(edit, 0);
  }

  /** Forgets everything, and answers that are still on their way. */
  reset(): void {
    this.want(null);
    this.conflict = null;
    this.renewed = false;
  }
}

/** While a component lives: after each change of a file on disk, asks again what the edit would do. */
export function followDisk(model: Model, edit: Editing, request: () => EditRequest | null): void {
  let seen: string | null = null;
  $effect(() => {
    const stamp = JSON.stringify(model.overall.last_change);
    untrack(() => {
      const wanted = request();
      if (seen !== null && seen !== stamp && wanted !== null) edit.renew(wanted);
      seen = stamp;
    });
  });
}
