// Where the person is: view, source, search, selection, tab. Nobody else needs to know.
import type { Scope } from '../bindings/Scope';
import type { ServerRow } from '../bindings/ServerRow';
import type { Model } from './model.svelte';
import { compare, holdOrder, inView, matches, type Sort, type View } from './rows';
import type { ToolShelf } from './tools.svelte';
import type { Wish } from './wish';

export type Place = { kind: 'view'; view: View } | { kind: 'host'; host: string } | { kind: 'tools' } | { kind: 'history' } | { kind: 'matrix' } | { kind: 'problems' } | { kind: 'file'; host: string; path: string; scope: Scope };
export type Tab = 'overview' | 'tools' | 'config' | 'log';
export type ConfigMode = 'form' | 'file';

/** What is typed and not saved. */
export interface Unsaved {
  name: string;
  dirty: () => boolean;
  /** True when it was saved. */
  save: () => Promise<boolean>;
  discard: () => void;
}

export class Navigation {
  place = $state.raw<Place>({ kind: 'view', view: 'all' });
  search = $state('');
  sort = $state<Sort>('attention');
  selected = $state<string | null>(null);
  tab = $state<Tab>('overview');
  /** Tool open in the tools tab. */
  tool = $state<string | null>(null);
  /** In a narrow window the host's files cover the list only when asked for. */
  hostPanel = $state(false);
  sidebar = $state(false);
  shortcuts = $state(false);
  configMode = $state<ConfigMode>('form');
  /** The editor that is open, to be asked before it is left. */
  unsaved = $state.raw<Unsaved | null>(null);
  /** Why what is typed cannot be saved as it is; `null` if nothing is known against it. The open editor says it. */
  unsavable = $state<string | null>(null);
  /** Where the person wants to go, while they are asked what becomes of their changes. */
  leaving = $state.raw<(() => void) | null>(null);
  /** What a dialog is open for. */
  wish = $state.raw<Wish | null>(null);
  /** A server that is to be selected, in sight and under the keyboard as soon as the list has it. */
  wanted = $state.raw<string | null>(null);
  /** The pointer rests on the list: rows must not move under it. */
  held = $state(false);

  readonly #model: Model;
  readonly #shelf: ToolShelf;
  #before: string[] = [];
  #beforeKey = '';

  constructor(model: Model, shelf: ToolShelf) {
    this.#model = model;
    this.#shelf = shelf;
  }

  readonly rows = $derived.by((): ServerRow[] => {
    const { place, sort } = this;
    const words = this.search.trim();
    const fresh = this.#model.rows
      .filter((row) => {
        if (place.kind === 'host' && row.host !== place.host) return false;
        if (place.kind === 'view' && !inView(row, place.view)) return false;
        return words === '' || matches(words, this.#texts(row));
      })
      .sort(compare(sort));
    const key = JSON.stringify([place, sort, words]);
    const rows = this.held && key === this.#beforeKey ? holdOrder(this.#before, fresh) : fresh;
    this.#before = rows.map((row) => row.id);
    this.#beforeKey = key;
    return rows;
  });

  readonly host = $derived.by(() => {
    const { place } = this;
    if (place.kind !== 'host') return null;
    return this.#model.hosts.find((host) => host.id === place.host) ?? null;
  });

  #texts(row: ServerRow): string[] {
    const host = this.#model.hostNames.get(row.host) ?? row.host;
    return [row.name, row.summary, host, ...this.#shelf.names(row.id)];
  }

  /** Goes, at once or after the question. */
  leave(work: () => void): void {
    if (this.unsaved?.dirty() === true) this.leaving = work;
    else work();
  }

  /** The answer: stay, or go without the changes. */
  answer(go: boolean): void {
    const work = this.leaving;
    this.leaving = null;
    if (!go) return;
    // What is done next must not ask again; an editor that stays on the page is asked the next time.
    const asked = this.unsaved;
    this.unsaved = null;
    asked?.discard();
    work?.();
    this.unsaved ??= asked;
  }

  go(place: Place): void {
    this.leave(() => this.#go(place));
  }

  #go(place: Place): void {
    this.place = place;
    this.sidebar = false;
    this.hostPanel = false;
    // A source is looked at for its files; a view keeps the selection if it still shows it.
    if (place.kind === 'host') this.selected = null;
    else if (place.kind === 'view' && !this.rows.some((row) => row.id === this.selected)) this.selected = null;
  }

  select(id: string | null): void {
    if (id !== this.selected) this.leave(() => this.#select(id));
  }

  /** Goes on with a server under its new name or in its new place. */
  follow(id: string): void {
    this.leave(() => {
      this.#select(id);
      this.wanted = this.listed ? id : null;
    });
  }

  /** A server is about to go: the next one is under the keyboard, and selected where both stand side by side. */
  removed(id: string): void {
    const at = this.rows.findIndex((row) => row.id === id);
    const heir = (this.rows[at + 1] ?? this.rows[at - 1])?.id ?? null;
    if (this.selected === id) this.#select(matchMedia('(max-width: 760px)').matches ? null : heir);
    this.wanted = this.listed && at >= 0 ? heir : null;
  }

  /** Whether the list of servers is what is looked at. */
  get listed(): boolean {
    return this.place.kind === 'view' || this.place.kind === 'host';
  }

  /** Takes away whatever keeps a server out of the list. */
  uncover(id: string): void {
    // Once in the order that holds now, even under the pointer.
    const { held } = this;
    this.held = false;
    const shown = this.rows.some((row) => row.id === id);
    this.held = held;
    if (shown) return;
    this.search = '';
    if (!this.rows.some((row) => row.id === id)) this.place = { kind: 'view', view: 'all' };
  }

  show(tab: Tab): void {
    if (tab !== this.tab) this.leave(() => (this.tab = tab));
  }

  #select(id: string | null): void {
    this.selected = id;
    this.wanted = null;
    this.tool = null;
    if (this.tab === 'tools' && id !== null && this.#model.servers.get(id)?.tools == null) this.tab = 'overview';
  }

  /** Shows one tab of a server. */
  open(id: string, tab: Tab): void {
    this.leave(() => {
      if (id !== this.selected) this.#select(id);
      this.tab = tab;
    });
  }

  openTool(id: string, tool: string): void {
    this.leave(() => {
      this.selected = id;
      this.tab = 'tools';
      this.tool = tool;
    });
  }
}
