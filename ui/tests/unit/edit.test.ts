import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../src/backend/backend';
import type { EditPreview } from '../../src/bindings/EditPreview';
import { Editing, PREVIEW_MS } from '../../src/state/edit.svelte';
import { FakeBackend, snapshotOf } from './fake';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const answer = (notice: string): EditPreview => ({ problems: [], values: [], files: [], notes: [], notice, can_save: true });
const remove = (id: string) => ({ op: 'remove' as const, id });

test('a burst of edits is asked about once', async () => {
  const backend = new FakeBackend(snapshotOf([]));
  const request = vi.spyOn(backend, 'request').mockResolvedValue(answer('c') as never);
  const edit = new Editing(backend);
  for (const id of ['a', 'b', 'c']) edit.want(remove(id));
  expect([edit.waiting, edit.canSave]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(PREVIEW_MS);
  expect(request.mock.calls).toEqual([[{ cmd: 'preview_edit', edit: remove('c') }]]);
  expect([edit.waiting, edit.canSave, edit.preview?.notice]).toEqual([false, true, 'c']);
});

test('a stale answer is dropped', async () => {
  const backend = new FakeBackend(snapshotOf([]));
  const waiting: ((preview: never) => void)[] = [];
  vi.spyOn(backend, 'request').mockImplementation(() => new Promise<never>((resolve) => waiting.push(resolve)));
  const edit = new Editing(backend);
  edit.want(remove('old'));
  await vi.advanceTimersByTimeAsync(PREVIEW_MS);
  edit.want(remove('new'));
  await vi.advanceTimersByTimeAsync(PREVIEW_MS);
  waiting[1]?.(answer('new') as never);
  waiting[0]?.(answer('old') as never);
  await vi.advanceTimersByTimeAsync(0);
  expect(edit.preview?.notice).toBe('new');
  edit.want(null);
  expect([edit.preview, edit.waiting]).toEqual([null, false]);
});

test('a conflict is kept apart from a failure', async () => {
  const backend = new FakeBackend(snapshotOf([]));
  const edit = new Editing(backend);
  const conflict = { path: '/a', display_path: '~/a', fields: [], lines: [], now: 'h2' };
  const request = vi.spyOn(backend, 'request').mockRejectedValueOnce(new ApiError('conflict', 'Changed', null, [], conflict));
  expect(await edit.apply(remove('x'))).toBe(null);
  expect([edit.conflict, edit.error, edit.saving]).toEqual([conflict, null, false]);
  const problem = { field: 'url', severity: 'error' as const, message: 'No url' };
  request.mockRejectedValueOnce(new ApiError('invalid', 'Invalid', null, [problem]));
  expect(await edit.apply(remove('x'))).toBe(null);
  expect([edit.error?.message, edit.problemsOf('url')]).toEqual(['Invalid', [problem]]);
  request.mockResolvedValueOnce({ message: 'Done', notes: [], id: null, entry: 3 } as never);
  expect((await edit.apply(remove('x')))?.entry).toBe(3);
  expect(edit.conflict).toBe(null);
});
