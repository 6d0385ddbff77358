// The window's shortcuts. Those of single letters hold only where nobody types.
import type { Actions } from '../../state/actions.svelte';
import type { Model } from '../../state/model.svelte';
import type { Navigation } from '../../state/navigation.svelte';
import { VIEWS } from '../../state/rows';

export const SEARCH_ID = 'search';

interface Reach {
  navigation: Navigation;
  actions: Actions;
  model: Model;
}

/** The one in a shadow tree, where there is one: the editor of files has its own. */
const targetOf = (event: Event): EventTarget | null => event.composedPath()[0] ?? event.target;
export const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.matches('input, textarea') || target.isContentEditable);

function focusSearch(): void {
  const input = document.getElementById(SEARCH_ID);
  if (!(input instanceof HTMLInputElement)) return;
  input.focus();
  input.select();
}

/** Clears what was narrowed last: the search, then the selection. */
function escape(navigation: Navigation): void {
  if (navigation.sidebar) navigation.sidebar = false;
  else if (navigation.search !== '') navigation.search = '';
  else if (navigation.selected !== null) navigation.select(null);
  else navigation.hostPanel = false;
}

export function shortcut(event: KeyboardEvent, { navigation, actions, model }: Reach): void {
  if (event.defaultPrevented || event.isComposing) return;
  const ctrl = event.ctrlKey || event.metaKey;
  const act = (work: () => void): void => {
    event.preventDefault();
    work();
  };
  // The page's own reload would lose the window's state.
  if (event.key === 'F5' || (ctrl && event.key.toLowerCase() === 'r')) return act(() => void actions.reload());
  // A dialog has the keyboard to itself.
  if (document.querySelector('dialog[open]') !== null) return;
  if (ctrl && event.key.toLowerCase() === 'k') return act(focusSearch);
  if (ctrl && !event.altKey && !typing(targetOf(event))) {
    const key = event.key.toLowerCase();
    if (key === 'z') return act(() => void actions.undoLast(event.shiftKey ? 'redo' : 'undo'));
    if (key === 'y') return act(() => void actions.undoLast('redo'));
  }
  if (ctrl && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'n') {
    return act(() => (navigation.wish = { op: 'add', text: '' }));
  }
  if (ctrl && !event.shiftKey && !event.altKey) {
    const view = VIEWS[Number(event.key) - 1];
    if (view !== undefined) act(() => navigation.go({ kind: 'view', view }));
    return;
  }
  if (ctrl || event.altKey) return;
  if (event.key === 'Escape') return act(() => escape(navigation));
  if (typing(targetOf(event))) return;
  switch (event.key) {
    case '/':
      return act(focusSearch);
    case '?':
      return act(() => (navigation.shortcuts = true));
    case 'r':
    case 'R': {
      const row = model.servers.get(navigation.selected ?? '');
      if (row !== undefined) act(() => void actions.reconnect(row.id));
      return;
    }
  }
}
