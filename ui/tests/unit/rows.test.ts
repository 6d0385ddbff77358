import { expect, test } from 'vitest';
import type { Reason } from '../../src/bindings/Reason';
import { lampOf, lampText } from '../../src/components/lamp';
import { metaLines } from '../../src/features/list/meta';
import { compare, holdOrder, inView, matches, needsAttention, toneOf } from '../../src/state/rows';
import { serverRow } from './fake';

const down = (name: string, reason: Reason) => serverRow(name, { status: 'disconnected', reason });
const names = (rows: { name: string }[]): string[] => rows.map((row) => row.name);

test('trouble comes first, what is off after what runs, the shadowed last', () => {
  const rows = [
    down('shadowed', 'shadowed'), down('off', 'denied'), serverRow('b'), serverRow('a', { status: 'connecting' }),
    down('idle', 'idle'), down('failed', 'failed'), down('approve', 'needs_approval'),
  ];
  expect(names(rows.toSorted(compare('attention')))).toEqual(['failed', 'approve', 'b', 'a', 'idle', 'off', 'shadowed']);
  expect(names(rows.toSorted(compare('name')))).toEqual(['a', 'approve', 'b', 'failed', 'idle', 'off', 'shadowed']);
  expect(names(rows.toSorted(compare('source')))).toEqual(names(rows));
});

test('each reason has its place, tone and lamp', () => {
  const table: [Reason, boolean, string, string][] = [
    ['failed', true, 'bad', 'triangle'],
    ['needs_sign_in', true, 'auth', 'key'],
    ['needs_approval', true, 'wait', 'shield'],
    ['retrying', true, 'wait', 'broken-arc'],
    ['invalid', true, 'bad', 'triangle'],
    ['idle', false, 'off', 'ring'],
    ['stopped', false, 'off', 'ring'],
    ['disabled', false, 'off', 'dash'],
    ['denied', false, 'off', 'dash'],
    ['host_disabled', false, 'off', 'dash'],
    ['project_off', false, 'off', 'dash'],
    ['filtered', false, 'off', 'dash'],
    ['shadowed', false, 'off', 'stack'],
  ];
  for (const [reason, attention, tone, lamp] of table) {
    const row = down(reason, reason);
    expect([needsAttention(row), toneOf(row), lampOf(row)], reason).toEqual([attention, tone, lamp]);
    expect(lampText(row)).not.toBe('');
  }
  expect(lampOf(serverRow('x'))).toBe('disc');
  expect(lampOf(serverRow('x', { status: 'connecting' }))).toBe('arc');
});

test('views', () => {
  expect(inView(down('x', 'host_disabled'), 'disabled')).toBe(true);
  expect(inView(down('x', 'shadowed'), 'disabled')).toBe(false);
  expect(inView(serverRow('x'), 'connected')).toBe(true);
});

test('an order is held while rows come and go', () => {
  const [a, b, c] = [serverRow('a'), serverRow('b'), serverRow('c')];
  expect(names(holdOrder(['b', 'gone', 'a'], [a, b, c]))).toEqual(['b', 'a', 'c']);
});

test('every word of a search must occur', () => {
  expect(matches('git cursor', ['github', 'Cursor'])).toBe(true);
  expect(matches('git vscode', ['github', 'Cursor'])).toBe(false);
});

test('the words at the right of a row', () => {
  const now = () => 10_000;
  const meta = (rest: Parameters<typeof serverRow>[1]) => metaLines(serverRow('x', rest), 'Gemini CLI', now);
  expect(meta({ tools: 38, latency_ms: 84 })).toEqual(['38 tools', '84 ms']);
  expect(meta({ status: 'connecting', since: 7000, tools: 22, tools_cached: true })).toEqual(['Connecting, 3 s', '22 tools from cache']);
  const off = { status: 'disconnected' as const };
  expect(meta({ ...off, reason: 'retrying', retry_at: 13_500 })).toEqual(['Retrying in 4 s']);
  expect(meta({ ...off, reason: 'shadowed', shadowed_by: 'xcsh, user' })).toEqual(['Shadowed by', 'xcsh, user']);
  expect(meta({ ...off, reason: 'host_disabled' })).toEqual(['Off in Gemini CLI']);
  const own = { on: true, available: true, note: null };
  expect(meta({ ...off, reason: 'host_disabled', message: 'Off by a list', toggle: { ...own, on: false } })).toEqual(['Off in Gemini CLI']);
  expect(meta({ ...off, reason: 'host_disabled', message: 'Provided by an extension', toggle: own })).toEqual(['Provided elsewhere']);
  expect(meta({ ...off, reason: 'denied' })).toEqual(['Off in Jackfield']);
  expect(meta({ tools: 1, latency_ms: null })).toEqual(['1 tool']);
});
