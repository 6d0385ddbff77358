import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Model, step } from '../../src/state/model.svelte';
import { Sync } from '../../src/state/sync.svelte';
import { FakeBackend, serverRow, snapshotOf } from './fake';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(50);

test('a delta is applied, ignored or a gap', () => {
  expect(step(5, 6)).toBe('apply');
  expect(step(5, 5)).toBe('ignore');
  expect(step(5, 2)).toBe('ignore');
  expect(step(5, 7)).toBe('gap');
});

test('deltas change single rows', async () => {
  const [a, b] = [serverRow('a'), serverRow('b')];
  const backend = new FakeBackend(snapshotOf([a, b]));
  const model = new Model();
  await new Sync(backend, model).start();
  backend.send({ revision: 2, changes: [{ kind: 'server', row: { ...a, status: 'connecting' } }] });
  backend.send({ revision: 3, changes: [{ kind: 'server_gone', id: 'b' }, { kind: 'server', row: serverRow('c') }] });
  await settle();
  expect(model.rows.map((row) => [row.id, row.status])).toEqual([['a', 'connecting'], ['c', 'connected']]);
  expect(model.revision).toBe(3);
});

test('what came before the snapshot is not applied twice', async () => {
  const backend = new FakeBackend(snapshotOf([serverRow('a')], { revision: 4 }));
  const model = new Model();
  const sync = new Sync(backend, model);
  const started = sync.start();
  backend.send({ revision: 3, changes: [{ kind: 'server_gone', id: 'a' }] });
  backend.send({ revision: 5, changes: [{ kind: 'server', row: serverRow('new') }] });
  await started;
  await settle();
  expect(model.rows.map((row) => row.id)).toEqual(['a', 'new']);
  expect(backend.count('snapshot')).toBe(1);
});

test('a gap asks for a snapshot', async () => {
  const backend = new FakeBackend(snapshotOf([serverRow('a')]));
  const model = new Model();
  await new Sync(backend, model).start();
  backend.snapshot = snapshotOf([serverRow('fresh')], { revision: 9 });
  backend.send({ revision: 9, changes: [] });
  await settle();
  expect(model.rows.map((row) => row.id)).toEqual(['fresh']);
  expect(backend.count('snapshot')).toBe(2);
});

test('a lost stream subscribes again and then asks for a snapshot', async () => {
  const backend = new FakeBackend(snapshotOf([serverRow('a')]));
  const sync = new Sync(backend, new Model());
  await sync.start();
  backend.lose();
  expect(sync.lost).toBe(true);
  await vi.advanceTimersByTimeAsync(600);
  expect(sync.lost).toBe(false);
  expect([backend.subscribed, backend.count('snapshot')]).toEqual([2, 2]);
});

test('a first failure is shown, not retried for ever', async () => {
  const backend = new FakeBackend(snapshotOf([]));
  vi.spyOn(backend, 'subscribe').mockRejectedValueOnce('refused');
  const sync = new Sync(backend, new Model());
  await sync.start();
  expect([sync.phase, sync.message]).toEqual(['unreachable', 'refused']);
  await sync.start();
  expect(sync.phase).toBe('ready');
});
