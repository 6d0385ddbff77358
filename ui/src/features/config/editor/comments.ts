// Comments in JSON: the grammar has none, most tools allow them.
import { syntaxTree } from '@codemirror/language';
import { Decoration, type DecorationSet, type EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from '@codemirror/view';

const mark = Decoration.mark({ class: 'cm-comment' });
const matcher = new MatchDecorator({
  regexp: /\/\/.*|\/\*.*?\*\//g,
  decorate: (add, from, to, _match, view) => {
    // `https://` stands in a string.
    const node = syntaxTree(view.state).resolveInner(from, 1);
    if (node.name !== 'String' && node.name !== 'PropertyName') add(from, to, mark);
  },
});

export const comments = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = matcher.createDeco(view);
    }
    update(update: ViewUpdate): void {
      // A string that was closed or opened changes what stands behind it.
      if (update.docChanged || update.viewportChanged || syntaxTree(update.startState) !== syntaxTree(update.state)) this.decorations = matcher.createDeco(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
