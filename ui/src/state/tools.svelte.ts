// Tools by server, fetched when first wanted and again when the server has changed.
import { SvelteMap } from 'svelte/reactivity';
import { type ApiError, type Backend, toApiError } from '../backend/backend';
import type { ServerRow } from '../bindings/ServerRow';
import type { ToolRow } from '../bindings/ToolRow';

interface Shelf {
  stamp: string;
  tools: ToolRow[] | null;
  error: ApiError | null;
}

const stampOf = (row: ServerRow): string => [row.status, row.since, row.tools, row.tools_cached].join(' ');

export class ToolShelf {
  readonly #shelves = new SvelteMap<string, Shelf>();
  readonly #names = new Map<ToolRow[], string[]>();

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
  async want(row: ServerRow, again = false): Promise<void> {
    const stamp = stampOf(row);
    const had = this.#shelves.get(row.id);
    if (!again && had?.stamp === stamp) return;
    this.#shelves.set(row.id, { stamp, tools: had?.tools ?? null, error: null });
    try {
      const tools = await this.backend.request({ cmd: 'server_tools', id: row.id });
      if (had?.tools != null) this.#names.delete(had.tools);
      if (this.#shelves.get(row.id)?.stamp === stamp) this.#shelves.set(row.id, { stamp, tools, error: null });
    } catch (thrown) {
      this.#shelves.set(row.id, { stamp, tools: null, error: toApiError(thrown) });
    }
  }
}
