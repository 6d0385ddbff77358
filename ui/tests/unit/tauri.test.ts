import type { Channel } from '@tauri-apps/api/core';
import { clearMocks, mockIPC } from '@tauri-apps/api/mocks';
import { afterEach, expect, test } from 'vitest';
import { inTauri, TauriBackend } from '../../src/backend/tauri';
import type { Delta } from '../../src/bindings/Delta';

afterEach(() => clearMocks());

test('a command travels as `rpc`, deltas through one channel', async () => {
  let channel: Channel<Delta> | undefined;
  const asked: unknown[] = [];
  mockIPC((cmd, args) => {
    asked.push(cmd);
    if (cmd === 'subscribe') channel = (args as { channel: Channel<Delta> }).channel;
    else return (args as { command: unknown }).command;
    return null;
  });
  expect(inTauri()).toBe(true);
  const backend = new TauriBackend();
  const seen: number[] = [];
  const stop = await backend.subscribe((delta) => seen.push(delta.revision));
  expect(await backend.request({ cmd: 'stop', id: 'x' })).toEqual({ cmd: 'stop', id: 'x' });
  channel?.onmessage({ revision: 2, changes: [] });
  stop();
  channel?.onmessage({ revision: 3, changes: [] });
  expect([asked, seen]).toEqual([['subscribe', 'rpc'], [2]]);
});

test('a refusal is a body of ours or a plain string', async () => {
  mockIPC((_cmd, args) => {
    const { cmd } = (args as { command: { cmd: string } }).command;
    throw cmd === 'reload' ? 'command rpc not allowed' : { code: 'timeout', message: 'Too late', hint: null };
  });
  const backend = new TauriBackend();
  await expect(backend.request({ cmd: 'reload' })).rejects.toMatchObject({ code: 'internal', message: 'command rpc not allowed' });
  await expect(backend.request({ cmd: 'snapshot' })).rejects.toMatchObject({ code: 'timeout', message: 'Too late' });
});
