// Tools by server, fetched when first wanted and again when the server has changed.
import { untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { type ApiError, type Backend, toApiError } from '../backend/backend';
import type { ServerRow } from '../bindings/ServerRow';
import type { ToolRow } from '../bindings/ToolRow';

interface Shelf {
  tools: ToolRow[] | null;
  error: ApiError | null;
}

/** A search asks for the tools of all servers; the engine and the window stay free for other things meanwhile. */
const AT_ONCE = 6;
/** Answers are put in together: a list of 20,000 tools is not built anew for each of 1,000 servers. */
const GATHER_MS = 100;

const stampOf = (row: ServerRow): string => [row.status, row.since, row.tools, row.tools_cached].join(' ');

export class ToolShelf {
  readonly #shelves = new SvelteMap<string, Shelf>();
  /** For which state of its row each server was asked last. */
  readonly #asked = new Map<string, string>();
  readonly #names = new WeakMap<ToolRow[], string[]>();
  readonly #queue: string[] = [];
  readonly #arrived = new Map<string, Shelf>();
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly backend: Backend) {}

  get(id: string): ToolRow[] | null {
    return this.#shelves.get(id)?.tools ?? null;
  }

  error(id: string): ApiError | null {
    return this.#shelves.get(id)?.error ?? null;
  }

  /** Names known so far, for the search. */
  names(id: string): readonly string[] {
    const tools = this.get(id);
    if (tools === null) return [];
    let names = this.#names.get(tools);
    if (names === undefined) {
      names = tools.map((tool) => tool.name);
      this.#names.set(tools, names);
    }
    return names;
  }

  /** Fetches unless what is there fits the row. `again` fetches in any case. */
  want(row: ServerRow, again = false): void {
    const stamp = stampOf(row);
    if (!again && this.#asked.get(row.id) === stamp) return;
    this.#asked.set(row.id, stamp);
    // Whoever looks at one server now is served before a search through all.
    if (again) this.#queue.unshift(row.id);
    else this.#queue.push(row.id);
    this.#next();
  }

  #next(): void {
    while (this.#running < AT_ONCE) {
      const id = this.#queue.shift();
      if (id === undefined) return;
      this.#running += 1;
      void this.#fetch(id);
    }
  }

  async #fetch(id: string): Promise<void> {
    const stamp = this.#asked.get(id);
    let shelf: Shelf;
    try {
      shelf = { tools: await this.backend.request({ cmd: 'server_tools', id }), error: null };
    } catch (thrown) {
      shelf = { tools: null, error: toApiError(thrown) };
    }
    this.#running -= 1;
    // An answer to an older question would hide the newer one.
    if (this.#asked.get(id) === stamp) this.#arrived.set(id, shelf);
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
    this.#next();
  }

  #flush(): void {
    this.#timer = undefined;
    untrack(() => {
      for (const [id, shelf] of this.#arrived) this.#shelves.set(id, shelf);
    });
    this.#arrived.clear();
  }
}
