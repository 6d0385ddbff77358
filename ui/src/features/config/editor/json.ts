// Completion and hover in JSON, from the schema of the file.
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { hoverTooltip, type Tooltip } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { descriptionOf, keysAt, type Path, schemasAt, valuesAt } from './schema';

const unquote = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    return text.replace(/^"|"$/g, '');
  }
};

function pathTo(state: EditorState, node: SyntaxNode | null): Path {
  const path: (string | number)[] = [];
  for (let at = node; at !== null; at = at.parent) {
    if (at.name === 'Property') {
      const name = at.getChild('PropertyName');
      if (name !== null) path.unshift(unquote(state.sliceDoc(name.from, name.to)));
    } else if (at.parent?.name === 'Array') {
      path.unshift(0);
    }
  }
  return path;
}

export function complete(schema: unknown): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const { state, pos } = context;
    const node = syntaxTree(state).resolveInner(pos, -1);
    const word = context.matchBefore(/"?[\w$.-]*/);
    const from = word?.from ?? pos;
    if (!context.explicit && (word === null || word.from === word.to)) return null;
    const before = state.sliceDoc(Math.max(0, from - 200), from).trimEnd();
    const closed = state.sliceDoc(pos, pos + 1) === '"' ? 1 : 0;
    if (before.endsWith(':')) {
      const property = node.name === 'Property' ? node : node.parent?.name === 'Property' ? node.parent : node;
      const options = valuesAt(schema, pathTo(state, property)).map((label) => ({ label, type: 'constant' }));
      return options.length === 0 ? null : { from, to: pos + closed, options };
    }
    if (!/[{,]$/.test(before)) return null;
    let object: SyntaxNode | null = node;
    while (object !== null && object.name !== 'Object') object = object.parent;
    if (object === null) return null;
    const there = new Set(object.getChildren('Property').map((one) => one.getChild('PropertyName')).filter((name) => name !== null && !(name.from <= pos && name.to >= pos)).map((name) => unquote(state.sliceDoc(name!.from, name!.to))));
    const colon = /^"?\s*:/.test(state.sliceDoc(pos, pos + 20)) ? '' : ': ';
    const options = keysAt(schema, pathTo(state, object))
      .filter((known) => !there.has(known.key))
      .map((known) => ({ label: JSON.stringify(known.key), apply: JSON.stringify(known.key) + colon, detail: known.detail, info: known.info === '' ? undefined : known.info, type: 'property' }));
    return options.length === 0 ? null : { from, to: pos + closed, options };
  };
}

export const describe = (schema: unknown) =>
  hoverTooltip((view, pos, side): Tooltip | null => {
    const node = syntaxTree(view.state).resolveInner(pos, side);
    if (node.name !== 'PropertyName') return null;
    const text = descriptionOf(schemasAt(schema, pathTo(view.state, node.parent)));
    if (text === '') return null;
    return {
      pos: node.from,
      end: node.to,
      create: () => {
        const dom = document.createElement('div');
        dom.className = 'cm-described';
        dom.textContent = text;
        return { dom };
      },
    };
  });
