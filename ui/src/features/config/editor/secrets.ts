// Secrets stand covered in the editor: the page does not hold them until the person asks to see them.
import { type EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { t } from '../../../i18n';

interface Cover {
  from: number;
  to: number;
  /** Being typed: it is covered once the cursor has left it. */
  open: boolean;
}
interface Covers {
  shown: boolean;
  all: readonly Cover[];
}

export const setSecrets = StateEffect.define<readonly [number, number][]>();
export const showSecrets = StateEffect.define<boolean>();

class Mask extends WidgetType {
  override eq(): boolean {
    return true;
  }
  toDOM(): HTMLElement {
    const span = document.createElement('span');
    span.className = 'cm-secret';
    span.textContent = '••••';
    span.setAttribute('role', 'img');
    span.setAttribute('aria-label', t.config.secret);
    return span;
  }
}
const mask = Decoration.replace({ widget: new Mask() });

const touched = (state: EditorState, from: number, to: number): boolean =>
  state.selection.ranges.some((range) => range.from <= to && range.to >= from);

export const secrets = StateField.define<Covers>({
  create: () => ({ shown: false, all: [] }),
  update(covers, change) {
    let { shown, all } = covers;
    if (change.docChanged) {
      all = all
        .map((one) => ({ ...one, from: change.changes.mapPos(one.from, 1), to: change.changes.mapPos(one.to, -1) }))
        .filter((one) => one.from < one.to);
    }
    for (const effect of change.effects) {
      if (effect.is(showSecrets)) shown = effect.value;
      if (effect.is(setSecrets)) {
        const before = all;
        all = effect.value
          .filter(([from, to]) => from < to && to <= change.state.doc.length)
          .map(([from, to]) => ({
            from,
            to,
            open: touched(change.state, from, to) && !before.some((one) => !one.open && one.from === from && one.to === to) && change.state.selection.main.head > 0,
          }));
      }
    }
    if (change.selection !== undefined) all = all.map((one) => (one.open && !touched(change.state, one.from, one.to) ? { ...one, open: false } : one));
    return shown === covers.shown && all === covers.all ? covers : { shown, all };
  },
  provide: (field) => [
    EditorView.decorations.from(field, masks),
    EditorView.atomicRanges.of((view) => masks(view.state.field(field))),
  ],
});

function masks({ shown, all }: Covers): DecorationSet {
  if (shown) return Decoration.none;
  return Decoration.set(
    all.filter((one) => !one.open).map((one) => mask.range(one.from, one.to)),
    true,
  );
}
