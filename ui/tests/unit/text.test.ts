import { expect, test } from 'vitest';
import { toApiError } from '../../src/backend/backend';
import { words } from '../../src/components/words';
import { parseArguments } from '../../src/features/tools/arguments';
import { skeleton } from '../../src/state/skeleton';
import { ago, clockTime, duration, secondsSince, secondsUntil } from '../../src/state/time';

test('times', () => {
  const now = 1_000_000_000;
  expect(ago(now - 20_000, now)).toBe('just now');
  expect(ago(now - 60_000, now)).toBe('1 minute ago');
  expect(ago(now - 18 * 60_000, now)).toBe('18 minutes ago');
  expect(ago(now - 3 * 3_600_000, now)).toBe('3 hours ago');
  expect(ago(now - 50 * 3_600_000, now)).toBe('2 days ago');
  expect(ago(now + 5000, now)).toBe('just now');
  expect([duration(184), duration(1840), duration(125_000)]).toEqual(['184 ms', '1.8 s', '2 min 5 s']);
  expect(clockTime(new Date(2026, 1, 3, 4, 5, 6).getTime())).toBe('04:05:06');
  expect([secondsSince(0, 3999), secondsSince(10, 0), secondsUntil(4000, 1), secondsUntil(0, 5)]).toEqual([3, 0, 4, 0]);
});

const draft = (schema: unknown): unknown => JSON.parse(skeleton(schema));

test('a skeleton has the required properties, as empty as allowed', () => {
  expect(
    draft({
      type: 'object',
      required: ['text', 'count', 'flag', 'list', 'kind', 'nested', 'any', 'unknown'],
      properties: {
        text: { type: 'string' },
        count: { type: 'integer', minimum: 1 },
        flag: { type: ['boolean', 'null'] },
        list: { type: 'array', items: {} },
        kind: { enum: ['open', 'closed'] },
        nested: { $ref: '#/$defs/point' },
        any: { anyOf: [{ type: 'number' }, { type: 'string' }] },
        optional: { type: 'string' },
      },
      $defs: { point: { type: 'object', required: ['x'], properties: { x: { type: 'number', default: 7 } } } },
    }),
  ).toEqual({ text: '', count: 1, flag: false, list: [], kind: 'open', nested: { x: 7 }, any: 0, unknown: null });
});

test('a skeleton survives any schema', () => {
  expect(draft({})).toEqual({});
  expect(draft(null)).toEqual({});
  expect(draft(true)).toEqual({});
  const loop = { type: 'object', required: ['self'], properties: { self: { $ref: '#' } } };
  expect(skeleton(loop).length).toBeLessThan(2000);
  const named = skeleton({ type: 'object', required: ['__proto__'], properties: {} });
  expect(named).toContain('"__proto__": null');
});

test('arguments are a JSON object', () => {
  expect(parseArguments('{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
  expect(parseArguments(' ')).toEqual({ ok: true, value: {} });
  expect(parseArguments('[1]').ok).toBe(false);
  expect(parseArguments('{"a":').ok).toBe(false);
});

test('backticks mark code, and only in pairs', () => {
  expect(words('No `x` here')).toEqual([{ text: 'No ', code: false }, { text: 'x', code: true }, { text: ' here', code: false }]);
  expect(words('a ` b')).toEqual([{ text: 'a ` b', code: false }]);
});

test('whatever is thrown can be shown', () => {
  expect(toApiError({ code: 'stale', message: 'Changed', hint: 'Look again' })).toMatchObject({ code: 'stale', message: 'Changed', hint: 'Look again' });
  expect(toApiError('plain')).toMatchObject({ code: 'internal', message: 'plain' });
});
