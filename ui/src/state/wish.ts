// What a dialog is open for.
import type { Scope } from '../bindings/Scope';

interface OfServer {
  id: string;
  name: string;
}

/** An edit of something that is there. `name` is what the dialog's title says. */
export type ChangeWish =
  | ({ op: 'rename' | 'duplicate' | 'remove' } & OfServer)
  | ({ op: 'copy' | 'move'; target: string | null } & OfServer)
  | { op: 'fix'; finding: string; fix: number; name: string }
  | { op: 'restore'; path: string; name: string };

/** A server to be added; `text` is what was pasted or dropped, `at` the file it is meant for. */
export interface AddWish {
  op: 'add';
  text: string;
  at?: { host: string; path: string | null; scope: Scope | null };
}

export type Wish = ChangeWish | AddWish;
