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

export function saveHint(edit: Editing): string {
  const fields = [...new Set(edit.errors.flatMap((problem) => (problem.field === '' ? [] : [problem.field])))];
  const [only] = fields;
  const fix = only === undefined ? null : fields.length === 1 ? t.config.fix(named(only)) : t.config.fixFields(fields.length);
  return [fix, edit.preview?.notice].filter((text) => text != null && text !== '').join(' ');
}
