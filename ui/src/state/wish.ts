// What a dialog is open for.
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

/** A server to be added; `text` is what was pasted or dropped. */
export interface AddWish {
  op: 'add';
  text: string;
}

export type Wish = ChangeWish | AddWish;
