import { expect, test } from 'vitest';
import type { ServerForm } from '../../src/bindings/ServerForm';
import { emptyForm, fieldOf, pastedLines, pastedPairs, plainText, rebase, sameForm, tidyForm } from '../../src/state/form';

const form = (rest: Partial<ServerForm> = {}): ServerForm => ({ ...emptyForm('http'), name: 'github', url: plainText('https://a/'), ...rest });
const pair = (name: string, text: string) => ({ name, value: plainText(text) });
const secret = (name: string) => ({ name, value: { text: '••••', keep: name } });

test('rows that were never filled are no change', () => {
  const base = form();
  expect(sameForm(base, form({ headers: [pair('', '')], cwd: ' ' }))).toBe(true);
  expect(sameForm(base, form({ headers: [pair('', 'x')] }))).toBe(false);
  expect(tidyForm(form({ args: [plainText('')] })).args, 'an empty argument is an argument').toHaveLength(1);
});

test('a form is put on what the file says now', () => {
  const base = form({ timeout: '1000', headers: [pair('A', '1'), pair('B', '1'), secret('Authorization')], args: [plainText('x')] });
  const ours = form({ timeout: '2000', headers: [pair('A', '2'), pair('New', 'n'), secret('Authorization')], args: [plainText('x')] });
  const now = form({
    url: plainText('https://b/'), timeout: '3000', headers: [pair('A', '9'), pair('B', '1'), secret('Authorization'), pair('Theirs', 't')], args: [plainText('y')],
  });
  const mine = rebase(base, ours, now, new Set());
  expect(mine.url.text, 'not touched here').toBe('https://b/');
  expect(mine.args).toEqual([plainText('y')]);
  expect(mine.timeout).toBe('2000');
  expect(mine.headers).toEqual([pair('A', '2'), pair('New', 'n'), secret('Authorization'), pair('Theirs', 't')]);
  const theirs = rebase(base, ours, now, new Set(['timeout', 'headers.A']));
  expect(theirs.timeout).toBe('3000');
  expect(theirs.headers[0]).toEqual(pair('A', '9'));
});

test('a removal stays one, unless theirs is wanted', () => {
  const base = form({ headers: [pair('A', '1')] });
  const ours = form();
  const now = form({ headers: [pair('A', '2')] });
  expect(rebase(base, ours, now, new Set()).headers).toEqual([]);
  expect(rebase(base, ours, now, new Set(['headers.A'])).headers).toEqual([pair('A', '2')]);
});

test('arguments are one field', () => {
  expect([fieldOf('args.3'), fieldOf('args'), fieldOf('env.A')]).toEqual(['args', 'args', 'env.A']);
});

test('what is pasted', () => {
  expect(pastedLines('one')).toBe(null);
  expect(pastedLines('one\n')).toBe(null);
  expect(pastedLines('-y\r\na b\n\n')).toEqual(['-y', 'a b', '']);
  expect(pastedPairs('# keys\nexport A=1\nB="two words"\n', 'env')).toEqual([pair('A', '1'), pair('B', 'two words')]);
  expect(pastedPairs('Authorization: Bearer x', 'headers')).toEqual([pair('Authorization', 'Bearer x')]);
  expect(pastedPairs('just a name', 'env')).toBe(null);
  expect(pastedPairs('', 'env')).toBe(null);
});
