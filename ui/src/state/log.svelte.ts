// The log of the open server: what there is, then what comes after the last line we have.
import { type ApiError, type Backend, toApiError } from '../backend/backend';
import type { LogLine } from '../bindings/LogLine';

export type LogFilter = 'all' | 'stderr' | 'lifecycle';

const PAGE = 2000;
/** A flood must not fill the window's memory; the engine keeps what is needed. */
const KEEP = 10_000;

export class OpenLog {
  lines = $state.raw<LogLine[]>([]);
  dropped = $state(0);
  error = $state.raw<ApiError | null>(null);
  loaded = $state(false);
  #fetching = false;
  #wanted = false;

  constructor(
    private readonly backend: Backend,
    private readonly id: string,
  ) {}

  /** Fetch what is new. Calls during a fetch are answered by one more fetch. */
  async more(): Promise<void> {
    if (this.#fetching) {
      this.#wanted = true;
      return;
    }
    this.#fetching = true;
    try {
      do {
        this.#wanted = false;
        const after = this.lines.at(-1)?.seq ?? null;
        const page = await this.backend.request({ cmd: 'server_log', id: this.id, after, limit: PAGE });
        const fresh = page.lines.filter((line) => after === null || line.seq > after);
        if (fresh.length > 0) this.lines = [...this.lines, ...fresh].slice(-KEEP);
        if (after === null || page.dropped > this.dropped) this.dropped = page.dropped;
        if (fresh.length >= PAGE) this.#wanted = true;
        this.loaded = true;
        this.error = null;
      } while (this.#wanted);
    } catch (thrown) {
      this.error = toApiError(thrown);
    } finally {
      this.#fetching = false;
    }
  }
}

export function filtered(lines: LogLine[], filter: LogFilter): LogLine[] {
  switch (filter) {
    case 'all':
      return lines;
    case 'stderr':
      return lines.filter((line) => line.kind === 'stderr');
    case 'lifecycle':
      return lines.filter((line) => line.kind === 'lifecycle');
  }
}
