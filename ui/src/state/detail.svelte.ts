// What the engine knows about the selected server, kept fresh while it is open.
import { type ApiError, type Backend, toApiError } from '../backend/backend';
import type { ServerDetail } from '../bindings/ServerDetail';

/** Changes come in bursts; one fetch answers them all. */
const SETTLE_MS = 60;

export class OpenDetail {
  detail = $state.raw<ServerDetail | null>(null);
  error = $state.raw<ApiError | null>(null);
  #id: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  constructor(private readonly backend: Backend) {}

  open(id: string | null): void {
    if (id === this.#id) return;
    this.#id = id;
    this.detail = null;
    this.error = null;
    clearTimeout(this.#timer);
    if (id !== null) void this.#fetch(id);
  }

  refresh(): void {
    const id = this.#id;
    if (id === null) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#fetch(id), SETTLE_MS);
  }

  async #fetch(id: string): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const detail = await this.backend.request({ cmd: 'server_detail', id });
      if (turn !== this.#turn || id !== this.#id) return;
      this.detail = detail;
      this.error = null;
    } catch (thrown) {
      if (turn !== this.#turn || id !== this.#id) return;
      this.error = toApiError(thrown);
    }
  }
}
