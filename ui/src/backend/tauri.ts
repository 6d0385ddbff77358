// The only importer of @tauri-apps/api.
import { Channel, invoke } from '@tauri-apps/api/core';
import type { Command } from '../bindings/Command';
import type { Delta } from '../bindings/Delta';
import { type Answer, type Backend, toApiError } from './backend';

export const inTauri = (): boolean => '__TAURI_INTERNALS__' in window;

export class TauriBackend implements Backend {
  async request<C extends Command>(command: C): Promise<Answer<C>> {
    try {
      return await invoke<Answer<C>>('rpc', { command });
    } catch (thrown) {
      // A body of ours, or a plain string when the arguments were refused before they reached us.
      throw toApiError(thrown);
    }
  }

  async subscribe(delta: (delta: Delta) => void): Promise<() => void> {
    let open = true;
    const channel = new Channel<Delta>((message) => {
      if (open) delta(message);
    });
    try {
      await invoke('subscribe', { channel });
    } catch (thrown) {
      throw toApiError(thrown);
    }
    // A channel lives as long as the page; only our interest in it ends.
    return () => {
      open = false;
    };
  }
}
