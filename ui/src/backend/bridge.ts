// The development bridge: the same words over HTTP, for browsers and tests.
import type { ApiErrorBody } from '../bindings/ApiErrorBody';
import type { Command } from '../bindings/Command';
import type { Delta } from '../bindings/Delta';
import { t } from '../i18n';
import { type Answer, ApiError, type Backend, toApiError } from './backend';

export class BridgeBackend implements Backend {
  readonly #token = new URLSearchParams(location.search).get('token') ?? '';

  async request<C extends Command>(command: C): Promise<Answer<C>> {
    let response: Response;
    try {
      response = await fetch('/rpc', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
        body: JSON.stringify(command),
      });
    } catch {
      throw new ApiError('internal', t.unreachable.noAnswer, null);
    }
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok) return answer as Answer<C>;
    throw toApiError((answer as ApiErrorBody | null) ?? t.unreachable.status(response.status));
  }

  subscribe(delta: (delta: Delta) => void, lost: () => void): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const source = new EventSource(`/events?token=${encodeURIComponent(this.#token)}`);
      let opened = false;
      source.onopen = () => {
        opened = true;
        resolve(() => source.close());
      };
      source.onmessage = (event: MessageEvent<string>) => delta(JSON.parse(event.data) as Delta);
      // The browser would reconnect by itself, but what was missed meanwhile is gone: start over with a snapshot.
      source.onerror = () => {
        source.close();
        if (opened) lost();
        else reject(new ApiError('internal', t.unreachable.noAnswer, null));
      };
    });
  }
}
