// The words beside Save: what stands in its way, then what saving does.
import { t } from '../../i18n';
import type { Editing } from '../../state/edit.svelte';

function named(field: string): string {
  const known = t.config.the[field];
  if (known !== undefined) return known;
  const argument = /^args\.(\d+)$/.exec(field)?.[1];
  if (argument !== undefined) return t.config.argument(Number(argument) + 1);
  return `\`${field.replace(/^(env|headers)\./, '')}\``;
}

/** What has to be put right first. */
function toFix(edit: Editing): string | null {
  const fields = [...new Set(edit.errors.flatMap((problem) => (problem.field === '' ? [] : [problem.field])))];
  const [only] = fields;
  return only === undefined ? null : fields.length === 1 ? t.config.fix(named(only)) : t.config.fixFields(fields.length);
}

export function saveHint(edit: Editing): string {
  return [toFix(edit), edit.preview?.notice].filter((text) => text != null && text !== '').join(' ');
}

/** Why it cannot be saved as it stands, in a sentence or two; `null` if nothing is known against it. */
export function whyNot(edit: Editing): string | null {
  if (edit.errors.length === 0) return edit.error === null || edit.waiting ? null : edit.error.message;
  const said = [...new Set(edit.errors.map((one) => one.message))].map((one) => (/[.!?]$/.test(one) ? one : `${one}.`));
  return [toFix(edit), ...said.slice(0, 3)].filter((text) => text !== null).join(' ');
}
