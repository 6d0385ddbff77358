import { expect, test } from 'vitest';
import type { HistoryEntry } from '../../src/bindings/HistoryEntry';
import { lastEdit, lastUndoing } from '../../src/state/history';

const entry = (id: number, rest: Partial<HistoryEntry> = {}): HistoryEntry => ({ id, at: id, title: `${id}`, by: 'window', files: [], locked: null, undoes: false, ...rest });
const gone = { locked: 'It was undone' };
const undo = { undoes: true };

const table: [string, HistoryEntry[], [number, number][], number | null, number | null][] = [
  ['nothing', [], [], null, null],
  ['the newest', [entry(2), entry(1)], [], 2, null],
  ['the newest, even when locked', [entry(2, { locked: 'The file changed since' }), entry(1)], [], 2, null],
  ['undone: the one before', [entry(3, undo), entry(2, gone), entry(1)], [[3, 2]], 1, 3],
  ['undone twice: nothing is left', [entry(4, undo), entry(3, undo), entry(2, gone), entry(1, gone)], [[4, 1], [3, 2]], null, 4],
  ['redone: the redo', [entry(4, undo), entry(3, { ...undo, ...gone }), entry(2, gone), entry(1)], [[4, 3], [3, 2]], 4, null],
  ['undone by another program', [entry(3, undo), entry(2, gone), entry(1)], [], 1, 3],
  ['an edit after the undoing', [entry(4), entry(3, undo), entry(2, gone)], [[3, 2]], 4, null],
];

test('what Ctrl+Z and its reverse mean', () => {
  for (const [what, entries, links, undoes, redoes] of table) {
    const undoings = new Map(links);
    expect([lastEdit(entries, undoings)?.id ?? null, lastUndoing(entries, undoings)?.id ?? null], what).toEqual([undoes, redoes]);
  }
});
