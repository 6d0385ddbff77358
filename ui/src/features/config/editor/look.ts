// The editor in the window's own colours and sizes, light and dark.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--text-s)', color: 'var(--ink)', backgroundColor: 'var(--panel)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.65', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '6px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--ink-3)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 10px', minWidth: '28px' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)', color: 'var(--ink-2)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', color: 'inherit', outline: '1px solid var(--line-strong)' },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)' },
  '.cm-comment': { color: 'var(--ink-3)', fontStyle: 'italic' },
  '.cm-secret': { backgroundColor: 'var(--sunken)', color: 'var(--ink-2)', borderRadius: '4px', padding: '0 5px', border: '1px solid var(--line)', lineHeight: '1.2' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--line-strong)', borderRadius: 'var(--radius-s)', boxShadow: '0 6px 20px var(--shade)', fontFamily: 'var(--font)', maxWidth: 'min(380px, 80vw)' },
  '.cm-described': { padding: '5px 9px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '180px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--ink-3)', fontStyle: 'normal', marginLeft: '10px' },
  '.cm-completionInfo': { padding: '5px 9px' },
  '.cm-diagnostic': { padding: '5px 9px', borderLeftWidth: '3px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--wait)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--line-strong)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)', textDecorationSkipInk: 'none', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--wait)', textDecorationSkipInk: 'none', textUnderlineOffset: '3px' },
  '.cm-lintRange-info': { backgroundImage: 'none', textDecoration: 'underline dotted var(--ink-3)', textUnderlineOffset: '3px' },
  '.cm-gutter-lint': { width: '12px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker': { content: '""', width: '8px', height: '8px', margin: '6px 2px', borderRadius: '50%' },
  '.cm-lint-marker-error': { backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-warning': { backgroundColor: 'var(--wait)', borderRadius: '1px', transform: 'rotate(45deg)' },
  '.cm-lint-marker-info': { backgroundColor: 'var(--ink-3)' },
  '.cm-panels': { backgroundColor: 'var(--bg)', color: 'var(--ink)', fontFamily: 'var(--font)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield': { backgroundColor: 'var(--panel)', border: '1px solid var(--line-strong)', borderRadius: 'var(--radius-s)', color: 'var(--ink)', fontFamily: 'var(--mono)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--panel)', border: '1px solid var(--line-strong)', borderRadius: 'var(--radius-s)', color: 'var(--ink)' },
  '.cm-searchMatch': { backgroundColor: 'var(--wait-soft)' },
  '.cm-searchMatch.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.atom], color: 'var(--auth)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: [tags.heading, tags.typeName, tags.labelName], color: 'var(--wait)' },
  { tag: [tags.punctuation, tags.separator, tags.brace, tags.squareBracket], color: 'var(--ink-2)' },
]);

export const look = [theme, syntaxHighlighting(colours)];
