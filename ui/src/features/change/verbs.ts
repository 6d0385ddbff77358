// What can be done with a definition from a menu: the same in the list and in the detail.
import type { ServerRow } from '../../bindings/ServerRow';
import { t } from '../../i18n';
import type { Navigation } from '../../state/navigation.svelte';

const VERBS = ['edit', 'rename', 'duplicate', 'copy', 'move', 'remove'] as const;
export type ServerVerb = (typeof VERBS)[number];

export const isServerVerb = (id: string): id is ServerVerb => VERBS.some((verb) => verb === id);

export const serverVerbs = (): { id: ServerVerb; text: string }[] => VERBS.map((id) => ({ id, text: t.change.menu[id] }));

export function changeServer(navigation: Navigation, { id, name }: Pick<ServerRow, 'id' | 'name'>, verb: ServerVerb): void {
  switch (verb) {
    case 'edit':
      navigation.open(id, 'config');
      break;
    case 'rename':
    case 'remove':
      leaving(navigation, id, () => (navigation.wish = { op: verb, id, name }));
      break;
    case 'move':
      leaving(navigation, id, () => (navigation.wish = { op: verb, id, name, target: null }));
      break;
    case 'duplicate':
      navigation.wish = { op: verb, id, name };
      break;
    case 'copy':
      navigation.wish = { op: verb, id, name, target: null };
      break;
  }
}

/** Afterwards the server is no longer where its form is open: what is typed there is asked about first. */
function leaving(navigation: Navigation, id: string, work: () => void): void {
  if (navigation.selected === id) navigation.leave(work);
  else work();
}

/** A name for a second one that no definition has yet. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const stem = name.replace(/-\d+$/, '');
  for (let n = 2; ; n += 1) if (!taken.has(`${stem}-${n}`)) return `${stem}-${n}`;
}
