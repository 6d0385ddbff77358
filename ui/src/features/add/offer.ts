// A server that could be added, wherever it was found, and the form that is made of it.
import type { ServerForm } from '../../bindings/ServerForm';
import type { Scope } from '../../bindings/Scope';
import type { TargetRow } from '../../bindings/TargetRow';
import type { TimeoutUnit } from '../../bindings/TimeoutUnit';
import { emptyForm, rebase } from '../../state/form';

export interface Offer {
  form: ServerForm;
  /** The tool in whose words its variables are. */
  from: string | null;
  /** The exact command, one argument a line, or the url. */
  lines: string[];
  notes: string[];
}

export interface DraftForm {
  form: ServerForm;
  /** What it began with. */
  base: ServerForm;
  from: string | null;
}

export const emptyDraft = (): DraftForm => ({ form: emptyForm(), base: emptyForm(), from: null });

export const draftOf = (offer: Offer): DraftForm => ({ form: structuredClone(offer.form), base: structuredClone(offer.form), from: offer.from });

/** The form of the new offer, with what was typed into the one before. */
export function redraft(before: DraftForm, offer: Offer): DraftForm {
  return { ...draftOf(offer), form: rebase(before.base, before.form, structuredClone(offer.form), new Set()) };
}

export const begun = (form: ServerForm): boolean => form.name !== '' || form.command.text !== '' || form.url.text !== '';

/** A file as it is known where an addition is asked for. */
export interface Place {
  host: string;
  path: string | null;
  scope: Scope | null;
}

/** Where a new server goes if nothing else is said: the file that is looked at, else its tool's, else the first tool's. */
export function targetFor(targets: readonly TargetRow[], place: Place | null): string {
  const free = targets.filter((one) => one.locked === null);
  const ofHost = free.filter((one) => one.host === place?.host);
  const ofFile = ofHost.filter((one) => one.path === place?.path);
  const found =
    ofFile.find((one) => one.scope === place?.scope) ?? ofFile[0] ?? ofHost.find((one) => one.default) ?? ofHost[0] ??
    free.find((one) => one.host === 'xcsh' && one.default) ?? free.find((one) => one.default) ?? free[0];
  return found?.id ?? '';
}

/** The unit of the forms that no file has given. */
export const OFFERED: TimeoutUnit = 'milliseconds';

/** The same time in another unit. What is not a number stays as it was typed, for the engine to say so. */
export function inUnit(timeout: string, from: TimeoutUnit, to: TimeoutUnit): string {
  const typed = Number(timeout);
  if (from === to || timeout.trim() === '' || !Number.isFinite(typed)) return timeout;
  return String(to === 'seconds' ? typed / 1000 : typed * 1000);
}
