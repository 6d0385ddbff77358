// The text editor, in a chunk of its own. It lives in a shadow tree: there its styles are sheets that the window's
// policy allows, where on the page they would be inline styles that it refuses.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldKeymap, indentOnInput, indentUnit, StreamLanguage } from '@codemirror/language';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import type { FileView } from '../../../bindings/FileView';
import type { Finding } from '../../../bindings/Finding';
import type { Language } from '../../../bindings/Language';
import { sentence, words } from '../../../components/words';
import { complete, describe } from './json';
import { comments } from './comments';
import { look } from './look';
import { secrets, setSecrets, showSecrets } from './secrets';

export interface Editor {
  text: () => string;
  /** Another text, as the file has it: nothing to be undone. */
  put: (file: FileView) => void;
  /** What the engine found in the text as it is typed. */
  checked: (file: Pick<FileView, 'findings' | 'secrets'>) => void;
  show: (secrets: boolean) => void;
  go: (line: number) => void;
  focus: () => void;
  close: () => void;
}
interface Options {
  file: FileView;
  label: string;
  typed: (text: string) => void;
  save: () => void;
}

function languageOf(language: Language, schema: unknown): Extension {
  switch (language) {
    case 'json': {
      const support = json();
      return schema === null ? [support, comments] : [support, comments, support.language.data.of({ autocomplete: complete(schema) }), describe(schema)];
    }
    case 'yaml':
      return yaml();
    case 'toml':
      return StreamLanguage.define(toml);
    case 'text':
      return [];
  }
}

function message(finding: Finding): Node {
  const dom = document.createElement('span');
  const gap = /[.:!?]$/.test(finding.title) ? ' ' : '. ';
  const title = sentence(finding.title);
  for (const part of words(finding.detail === '' ? title : `${title}${gap}${finding.detail}`)) {
    const piece = document.createElement(part.code ? 'code' : 'span');
    piece.textContent = part.text;
    dom.append(piece);
  }
  return dom;
}

function diagnostics(state: EditorState, findings: readonly Finding[]): Diagnostic[] {
  return findings.flatMap((finding) => {
    if (finding.line === null) return [];
    const line = state.doc.line(Math.min(Math.max(1, finding.line), state.doc.lines));
    const indent = line.text.length - line.text.trimStart().length;
    const from = Math.min(line.to, line.from + (finding.column === null ? indent : finding.column - 1));
    const rest = state.sliceDoc(from, line.to);
    const word = /^"(?:[^"\\]|\\.)*"|^\$\{[^}]*\}|^[\w$.-]+|^\S/.exec(rest)?.[0] ?? '';
    // At the end of a line there is nothing to underline but what stands before.
    const start = word === '' ? Math.max(line.from + indent, from - 1) : from;
    return [{ from: Math.min(start, line.to), to: word === '' ? line.to : from + word.length, severity: finding.severity, message: sentence(finding.title), renderMessage: () => message(finding) }];
  });
}

export function openEditor(host: HTMLElement, { file, label, typed, save }: Options): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  // A text put in from the file is not typed.
  let putting = false;
  const extensions: Extension = [
    lineNumbers(), highlightSpecialChars(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(),
    highlightActiveLineGutter(), highlightSelectionMatches(), search({ top: true }), lintGutter(), autocompletion({ icons: false }), EditorView.lineWrapping, look, secrets,
    languageOf(file.language, file.schema), indentUnit.of('  '), EditorState.readOnly.of(file.locked !== null), EditorView.editable.of(true),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off', tabindex: '0' }),
    keymap.of([
      { key: 'Mod-s', preventDefault: true, run: () => {
        save();
        return true;
      } },
      indentWithTab, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !putting) typed(update.state.doc.toString());
    }),
  ];
  const fresh = (text: string): EditorState => EditorState.create({ doc: text, extensions });
  // Covered from the first frame on.
  const view = new EditorView({ state: fresh(file.text).update({ effects: setSecrets.of(file.secrets) }).state, parent: root, root });
  const checked = (found: Pick<FileView, 'findings' | 'secrets'>): void => {
    view.dispatch({ effects: setSecrets.of(found.secrets) });
    view.dispatch(setDiagnostics(view.state, diagnostics(view.state, found.findings)));
  };
  checked(file);
  return {
    text: () => view.state.doc.toString(),
    put: (next) => {
      putting = true;
      const shown = view.state.field(secrets).shown;
      view.setState(fresh(next.text).update({ effects: [setSecrets.of(next.secrets), showSecrets.of(shown)] }).state);
      putting = false;
      checked(next);
    },
    checked,
    show: (shown) => view.dispatch({ effects: showSecrets.of(shown) }),
    go: (number) => {
      const line = view.state.doc.line(Math.min(Math.max(1, number), view.state.doc.lines));
      view.dispatch({ selection: { anchor: line.from + (line.text.length - line.text.trimStart().length) }, effects: EditorView.scrollIntoView(line.from, { y: 'start', yMargin: 24 }) });
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}
