import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { secrets, setSecrets, showSecrets } from '../../src/features/config/editor/secrets';

const start = (doc: string, ...ranges: [number, number][]) =>
  EditorState.create({ doc, extensions: [secrets] }).update({ effects: setSecrets.of(ranges) }).state;
const covered = (state: EditorState): [number, number][] => {
  const { shown, all } = state.field(secrets);
  return shown ? [] : all.filter((one) => !one.open).map((one) => [one.from, one.to]);
};

test('a cover moves with its text and does not grow over what is typed beside it', () => {
  let state = start('key=secret', [4, 10]);
  expect(covered(state)).toEqual([[4, 10]]);
  state = state.update({ changes: [{ from: 0, insert: 'my' }, { from: 10, insert: '!' }] }).state;
  expect(covered(state)).toEqual([[6, 12]]);
  state = state.update({ changes: { from: 0, to: 12 } }).state;
  expect(covered(state)).toEqual([]);
});

test('they are shown when asked for', () => {
  const state = start('key=secret', [4, 10]).update({ effects: showSecrets.of(true) }).state;
  expect(covered(state)).toEqual([]);
  expect(covered(state.update({ effects: showSecrets.of(false) }).state)).toEqual([[4, 10]]);
});

test('what is being typed is covered once the cursor has left it', () => {
  let state = EditorState.create({ doc: 'key=new x', extensions: [secrets], selection: { anchor: 7 } });
  state = state.update({ effects: setSecrets.of([[4, 7]]) }).state;
  expect(covered(state)).toEqual([]);
  state = state.update({ selection: { anchor: 9 } }).state;
  expect(covered(state)).toEqual([[4, 7]]);
  state = state.update({ selection: { anchor: 7 } }).state;
  expect(covered(state), 'coming back does not open it').toEqual([[4, 7]]);
  expect(covered(state.update({ effects: setSecrets.of([[4, 7]]) }).state)).toEqual([[4, 7]]);
});

test('ranges outside of the text are left out', () => {
  expect(covered(start('abc', [1, 99], [2, 2], [0, 2]))).toEqual([[0, 2]]);
});
