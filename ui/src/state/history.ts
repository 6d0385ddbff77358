// Which entry of the history Ctrl+Z and its reverse mean. Pure.
import type { HistoryEntry } from '../bindings/HistoryEntry';

/** By the id of an undoing, the id of what it undid; known for those of this window only. */
export type Undoings = ReadonlyMap<number, number>;

/**
 * The newest edit that still holds, `null` without one. It may be locked: an older one is not undone in its place.
 * Entries come newest first.
 */
export function lastEdit(entries: readonly HistoryEntry[], undoings: Undoings): HistoryEntry | null {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const undone = new Set<number>();
  // An undoing by someone else: what it undid is one of the locked ones, which cannot be told apart.
  let unknown = false;
  for (const entry of entries) {
    if (undone.has(entry.id)) continue;
    if (!entry.undoes) {
      if (entry.locked === null || !unknown) return entry;
      continue;
    }
    const target = undoings.get(entry.id);
    if (target === undefined) {
      unknown = true;
      continue;
    }
    undone.add(target);
    // The undoing of an undoing is an edit done again.
    if (byId.get(target)?.undoes === true) return entry;
  }
  return null;
}

/** The undoing to be undone, if nothing else was edited since. */
export function lastUndoing(entries: readonly HistoryEntry[], undoings: Undoings): HistoryEntry | null {
  const undone = new Set<number>();
  for (const entry of entries) {
    if (undone.has(entry.id)) continue;
    if (!entry.undoes) return null;
    const target = undoings.get(entry.id);
    const redone = target !== undefined && entries.some((other) => other.id === target && other.undoes);
    if (!redone) return entry;
    if (target !== undefined) undone.add(target);
    // What was done again stands in the way no more than what was undone.
  }
  return null;
}
