// What buttons do: one command each, with its outcome or its failure said aloud.
import { type ApiError, type Backend, toApiError } from '../backend/backend';
import type { Alert } from '../bindings/Alert';
import type { EditOutcome } from '../bindings/EditOutcome';
import type { ConnectAtStart } from '../bindings/ConnectAtStart';
import type { Review } from '../bindings/Review';
import type { RowAction } from '../bindings/RowAction';
import type { ServerRow } from '../bindings/ServerRow';
import type { Theme } from '../bindings/Theme';
import { t } from '../i18n';
import { copyText } from './clipboard';
import { lastEdit, lastUndoing } from './history';
import type { Model } from './model.svelte';
import type { Navigation } from './navigation.svelte';
import type { ToastAction, Toasts } from './toasts.svelte';

/** Where a server was before an edit, and where it is since; `null` where it is not at all. */
export interface Move {
  before: string | null;
  after: string | null;
}

/** How far back the keyboard looks. */
const UNDO_DEPTH = 50;

export class Actions {
  reloading = $state(false);
  /** The message about the last edit. */
  #told = 0;
  /** What the keyboard would undo before anything in the history: the last change that is not in it. */
  #aside: (() => void) | null = null;
  /** Of entries of this window, the server before and after, where it has another place or name since. */
  readonly #moves = new Map<number, Move>();
  /** Which entry of the history each undoing of this window undid. */
  readonly #undoings = new Map<number, number>();

  constructor(
    private readonly backend: Backend,
    private readonly model: Model,
    private readonly navigation: Navigation,
    private readonly toasts: Toasts,
  ) {}

  async #run<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (thrown) {
      const error: ApiError = toApiError(thrown);
      this.toasts.complain(error.message, error.hint);
      return undefined;
    }
  }

  async setEnabled(row: ServerRow, on: boolean): Promise<void> {
    if (!row.toggle.available) {
      if (row.toggle.note !== null) this.toasts.say(row.toggle.note);
      return;
    }
    const outcome = await this.#run(() => this.backend.request({ cmd: 'set_enabled', id: row.id, on }));
    if (outcome === undefined) return;
    this.#aside = null;
    this.#sayEdit(t.list.switched(row.name, outcome.message), { text: t.history.undo, run: () => void this.setEnabled(row, !on) });
  }

  connect = (id: string): Promise<unknown> => this.#run(() => this.backend.request({ cmd: 'connect', id }));
  stop = (id: string): Promise<unknown> => this.#run(() => this.backend.request({ cmd: 'stop', id }));
  reconnect = (id: string): Promise<unknown> => this.#run(() => this.backend.request({ cmd: 'reconnect', id }));

  async reload(): Promise<void> {
    if (this.reloading) return;
    this.reloading = true;
    await this.#run(() => this.backend.request({ cmd: 'reload' }));
    this.reloading = false;
  }

  async approve(row: ServerRow, review: Review): Promise<void> {
    const done = await this.#run(() => this.backend.request({ cmd: 'approve', id: row.id, hash: review.hash }));
    if (done !== undefined) this.toasts.say(t.review.approved(row.name));
  }

  async setTheme(theme: Theme): Promise<void> {
    // At once; the engine's answer confirms it.
    this.model.overall = { ...this.model.overall, theme };
    await this.#run(() => this.backend.request({ cmd: 'set_theme', theme }));
  }

  /** `before` is the order to go back to. */
  async setHostsOrder(hosts: string[], before: string[]): Promise<void> {
    const done = await this.#run(() => this.backend.request({ cmd: 'set_hosts_order', hosts }));
    if (done === undefined) return;
    const back = (): void => void this.setHostsOrder(before, hosts);
    this.#aside = back;
    this.#sayEdit(t.files.moved, { text: t.history.undo, run: back });
  }

  async connectAtStart(choice: ConnectAtStart, chosen: string[]): Promise<void> {
    await this.#run(() => this.backend.request({ cmd: 'set_connect_at_start', choice, chosen }));
  }

  /** True when the folder is open now. */
  async openProject(path: string | null): Promise<boolean> {
    const projects = await this.#run(() => this.backend.request({ cmd: 'open_project', path }));
    if (projects === undefined) return false;
    this.model.projects = projects;
    return true;
  }

  async pickProject(): Promise<boolean> {
    const path = await this.#run(() => this.backend.request({ cmd: 'pick_folder' }));
    return typeof path === 'string' && (await this.openProject(path));
  }

  /** Leaves a file that lost its servers as it is; the way back is said, and stays in the history. */
  async dismissAlert(alert: Alert): Promise<void> {
    const { path, display_path: name } = alert;
    const done = await this.#run(() => this.backend.request({ cmd: 'dismiss_alert', path }));
    if (done === undefined) return;
    const restore = { text: t.alerts.restore, run: (): void => void (this.navigation.wish = { op: 'restore', path, name }) };
    this.toasts.say(t.alerts.left(name), alert.restorable ? restore : null, alert.restorable ? t.alerts.leftHint : null);
  }

  openFile = (path: string, line: number | null): Promise<unknown> =>
    this.#run(() => this.backend.request({ cmd: 'open_file', path, line }));
  revealFile = (path: string): Promise<unknown> =>
    this.#run(() => this.backend.request({ cmd: 'reveal_file', path }));

  openLink = (url: string): Promise<unknown> => this.#run(() => this.backend.request({ cmd: 'open_link', url }));

  async copy(text: string, said: string): Promise<void> {
    if (await copyText(text)) this.toasts.say(said);
    else this.toasts.complain(t.detail.notCopied, null);
  }

  /** Says what an edit did, and offers to undo it. `move`: where its server was, and is. */
  tellEdit(outcome: EditOutcome, move: Move | null = null): void {
    const { entry } = outcome;
    if (entry !== null && move !== null) this.#moves.set(entry, move);
    const hint = outcome.notes.length === 0 ? null : outcome.notes.join(' ');
    this.#aside = entry === null ? () => void this.toasts.say(t.history.notByKeys) : null;
    this.#sayEdit(outcome.message, entry === null ? null : { text: t.history.undo, run: () => void this.undo(entry) }, hint);
  }

  /** Of the last edit only: what an older message offers would come in the way of it. */
  #sayEdit(text: string, action: ToastAction | null, hint: string | null = null): void {
    this.toasts.dismiss(this.#told);
    this.#told = this.toasts.say(text, action, hint);
  }

  /** Undoes one write. Undoing that again is the redo. True when it is done. */
  async undo(entry: number, redoing = false): Promise<boolean> {
    const outcome = await this.#run(() => this.backend.request({ cmd: 'apply_edit', edit: { op: 'undo', entry } }));
    if (outcome === undefined) return false;
    this.#aside = null;
    const again = outcome.entry;
    if (again !== null) this.#undoings.set(again, entry);
    this.#goBack(entry, again);
    this.#sayEdit(outcome.message, again === null ? null : { text: redoing ? t.history.undo : t.history.redo, run: () => void this.undo(again, !redoing) });
    return true;
  }

  /** Where the server of an edit was selected, it stays so where it is now. */
  #goBack(entry: number, again: number | null): void {
    const move = this.#moves.get(entry);
    if (move === undefined) return;
    if (again !== null) this.#moves.set(again, { before: move.after, after: move.before });
    const { navigation } = this;
    if (navigation.unsaved?.dirty() === true) return;
    if (move.before === null) {
      if (move.after !== null && move.after === navigation.selected) navigation.removed(move.after);
    } else if (navigation.listed || navigation.selected === move.after) navigation.follow(move.before);
  }

  /** Undoes the last edit that still holds, or brings back the one that was undone last. */
  async undoLast(what: 'undo' | 'redo'): Promise<void> {
    const aside = this.#aside;
    if (what === 'undo' && aside !== null) {
      this.#aside = null;
      return aside();
    }
    const entries = await this.#run(() => this.backend.request({ cmd: 'history', limit: UNDO_DEPTH }));
    if (entries === undefined) return;
    const entry = what === 'undo' ? lastEdit(entries, this.#undoings) : lastUndoing(entries, this.#undoings);
    if (entry === null) this.toasts.say(what === 'undo' ? t.history.nothingToUndo : t.history.nothingToRedo);
    else if (entry.locked !== null) this.toasts.complain(t.history.cannotUndo(entry.title), entry.locked);
    else await this.undo(entry.id, what === 'redo');
  }

  /** The one action of a row in trouble. */
  async rowAction(row: ServerRow, action: RowAction): Promise<void> {
    switch (action) {
      case 'review':
      case 'details':
        this.navigation.open(row.id, 'overview');
        break;
      case 'reconnect':
        await this.reconnect(row.id);
        break;
      case 'connect':
        await this.connect(row.id);
        break;
      case 'open_file':
        await this.#openDefinition(row.id);
        break;
    }
  }

  async #openDefinition(id: string): Promise<void> {
    const detail = await this.#run(() => this.backend.request({ cmd: 'server_detail', id }));
    if (detail === undefined) return;
    const finding = detail.findings.find((one) => one.severity === 'error' && one.path !== null);
    const here = detail.defined.find((one) => one.id === id) ?? detail.defined[0];
    const path = finding?.path ?? here?.path;
    if (path != null) await this.openFile(path, finding?.line ?? here?.line ?? null);
  }
}
