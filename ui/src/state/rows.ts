// Which rows a view shows, and in what order. Pure, so that it can be tested and stays fast at 1,000 rows.
import type { ServerRow } from '../bindings/ServerRow';

export type View = 'all' | 'connected' | 'attention' | 'disabled' | 'shadowed';
export type Sort = 'attention' | 'name' | 'source';
export type Tone = 'ok' | 'wait' | 'bad' | 'auth' | 'off';

export const VIEWS: readonly View[] = ['all', 'connected', 'attention', 'disabled', 'shadowed'];
export const SORTS: readonly Sort[] = ['attention', 'name', 'source'];

export function needsAttention(row: ServerRow): boolean {
  switch (row.reason) {
    case 'failed':
    case 'needs_sign_in':
    case 'needs_approval':
    case 'invalid':
    case 'retrying':
      return true;
    default:
      return false;
  }
}

/** Switched off by someone, somewhere. */
export function isOff(row: ServerRow): boolean {
  switch (row.reason) {
    case 'disabled':
    case 'denied':
    case 'host_disabled':
    case 'project_off':
    case 'filtered':
      return true;
    default:
      return false;
  }
}

export function inView(row: ServerRow, view: View): boolean {
  switch (view) {
    case 'all':
      return true;
    case 'connected':
      return row.status === 'connected';
    case 'attention':
      return needsAttention(row);
    case 'disabled':
      return isOff(row);
    case 'shadowed':
      return row.reason === 'shadowed';
  }
}

export function toneOf(row: ServerRow): Tone {
  if (row.status === 'connected') return 'ok';
  if (row.status === 'connecting') return 'wait';
  switch (row.reason) {
    case 'failed':
    case 'invalid':
      return 'bad';
    case 'needs_sign_in':
      return 'auth';
    case 'needs_approval':
    case 'retrying':
      return 'wait';
    default:
      return 'off';
  }
}

/**
 * Trouble first, then what could run, then what is off, then what is shadowed. Connecting, connected and idle share a
 * group: a row does not jump when it connects.
 */
export function group(row: ServerRow): number {
  if (needsAttention(row)) return 0;
  if (row.reason === 'shadowed') return 3;
  return isOff(row) ? 2 : 1;
}

export function compare(sort: Sort): (a: ServerRow, b: ServerRow) => number {
  switch (sort) {
    case 'attention':
      return (a, b) => group(a) - group(b) || a.rank - b.rank;
    case 'name':
      return (a, b) => order.compare(a.name, b.name) || a.rank - b.rank;
    case 'source':
      return (a, b) => a.rank - b.rank;
  }
}
const order = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Whether every word occurs in one of the texts. */
export function matches(words: string, texts: readonly string[]): boolean {
  const text = texts.join('\n').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The order before, for rows that are still there; new ones at the end. For a list under the pointer. */
export function holdOrder(before: readonly string[], fresh: readonly ServerRow[]): ServerRow[] {
  const left = new Map(fresh.map((row) => [row.id, row]));
  const held: ServerRow[] = [];
  for (const id of before) {
    const row = left.get(id);
    if (row !== undefined) {
      held.push(row);
      left.delete(id);
    }
  }
  return [...held, ...left.values()];
}
