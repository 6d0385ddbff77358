import { expect, test } from 'vitest';
import { descriptionOf, keysAt, schemasAt, valuesAt } from '../../src/features/config/editor/schema';

const schema = {
  properties: { servers: { additionalProperties: { $ref: '#/$defs/server' }, patternProperties: { '^x-': { type: 'string' }, '(': {} } } },
  $defs: {
    server: {
      anyOf: [
        { properties: { command: { type: 'string', description: 'The program' }, args: { type: 'array', items: { enum: ['-y'] } } } },
        { properties: { url: { type: ['string', 'null'] }, on: { type: 'boolean' }, type: { enum: ['http', 'sse'] } } },
      ],
    },
    loop: { $ref: '#/$defs/loop' },
  },
};

test('keys and values of a place, through references and alternatives', () => {
  expect(keysAt(schema, [])).toEqual([{ key: 'servers', detail: '', info: '' }]);
  expect(keysAt(schema, ['servers', 'any']).map((one) => [one.key, one.detail, one.info])).toEqual([
    ['command', 'string', 'The program'], ['args', 'array', ''], ['url', 'string or null', ''], ['on', 'boolean', ''], ['type', 'one of several', ''],
  ]);
  expect(keysAt(schema, ['servers', 'x-note'])).toEqual([]);
  expect(valuesAt(schema, ['servers', 'any', 'type'])).toEqual(['"http"', '"sse"']);
  expect(valuesAt(schema, ['servers', 'any', 'on'])).toEqual(['true', 'false']);
  expect(valuesAt(schema, ['servers', 'any', 'args', 0])).toEqual(['"-y"']);
  expect(descriptionOf(schemasAt(schema, ['servers', 'any', 'command']))).toBe('The program');
});

test('any schema is survived', () => {
  for (const root of [null, true, 3, { $ref: '#/$defs/loop', $defs: { loop: { $ref: '#/$defs/loop' } } }, { $ref: 'https://elsewhere' }]) {
    expect(keysAt(root, ['a', 0, '__proto__'])).toEqual([]);
  }
});
