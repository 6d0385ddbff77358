import { expect, test } from 'vitest';
import { offered } from '../../src/features/shell/offered';

const carrying = (kinds: Record<string, string>) => ({ getData: (kind: string) => kinds[kind] ?? '' });

test.each([
  ['nothing', null, ''],
  ['a picture', carrying({}), ''],
  ['blanks', carrying({ 'text/plain': ' \n ' }), ''],
  ['text', carrying({ 'text/plain': '  npx -y thing\n' }), 'npx -y thing'],
  ['a link with its text', carrying({ 'text/plain': 'https://a.example/mcp', 'text/uri-list': 'https://b.example/mcp' }), 'https://a.example/mcp'],
  ['a link alone', carrying({ 'text/uri-list': '# said by the program\r\n\r\nhttps://a.example/mcp\r\nhttps://b.example/mcp\r\n' }), 'https://a.example/mcp'],
  ['comments alone', carrying({ 'text/uri-list': '# nothing\r\n' }), ''],
])('%s', (_what, data, text) => {
  expect(offered(data)).toBe(text);
});
