import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import Window from '../../src/features/shell/Window.svelte';
import { createApp } from '../../src/state/app.svelte';
import { FakeBackend, serverRow, snapshotOf } from './fake';

beforeAll(() => {
  // jsdom has neither media queries nor sizes.
  vi.stubGlobal('ResizeObserver', class {
    observe(): void {}
    unobserve(): void {}
    disconnect(): void {}
  });
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
});
afterEach(() => cleanup());

const idle = { status: 'disconnected', reason: 'idle' } as const;
const first = () =>
  snapshotOf([serverRow('one', idle), serverRow('two', idle), serverRow('three', { status: 'disconnected', reason: 'needs_approval' })], {
    overall: { connect_at_start: null, theme: 'light', enable_mcp: true, files_watched: 1, last_change: null, alerts: [] },
  });

function open(backend: FakeBackend): void {
  render(Window, { props: { app: createApp(backend) } });
}

test('a first start lists what was found and connects nothing by itself', async () => {
  const backend = new FakeBackend(first());
  open(backend);
  await screen.findByText('Found 3 servers in 1 application. Nothing has been started.');
  expect(backend.asked.map((command) => command.cmd)).toEqual(['snapshot']);
  await fireEvent.click(screen.getByRole('button', { name: 'Connect all' }));
  expect(backend.asked.at(-1)).toEqual({ cmd: 'set_connect_at_start', choice: 'all', chosen: [] });
});

test('only what may run can be chosen', async () => {
  const backend = new FakeBackend(first());
  open(backend);
  await fireEvent.click(await screen.findByRole('button', { name: 'Choose…' }));
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'three' }).disabled).toBe(true);
  await fireEvent.click(screen.getByRole('checkbox', { name: 'one' }));
  await fireEvent.click(screen.getByRole('button', { name: 'Connect 1 server' }));
  expect(backend.asked.at(-1)).toEqual({ cmd: 'set_connect_at_start', choice: 'chosen', chosen: ['two'] });
});

test('the answer, coming back as a delta, opens the list', async () => {
  const backend = new FakeBackend(first());
  open(backend);
  await fireEvent.click(await screen.findByRole('button', { name: 'Not now' }));
  backend.send({ revision: 2, changes: [{ kind: 'overall', overall: { ...first().overall, connect_at_start: 'none' } }] });
  await screen.findByRole('heading', { name: 'All servers' });
  const list = screen.getByRole('list', { name: 'Servers' });
  expect(within(list).getAllByRole('switch').map((one) => one.getAttribute('aria-label'))).toEqual(['three enabled', 'one enabled', 'two enabled']);
});
