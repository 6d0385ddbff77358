// A server's form as a value: what an empty one is, whether two differ, and how one is put on a changed base.
import type { FormPair } from '../bindings/FormPair';
import type { FormText } from '../bindings/FormText';
import type { FormTransport } from '../bindings/FormTransport';
import type { ServerForm } from '../bindings/ServerForm';

export const plainText = (text: string): FormText => ({ text, keep: null });

export function emptyForm(transport: FormTransport = 'stdio'): ServerForm {
  return {
    name: '', transport, command: plainText(''), args: [], env: [], cwd: null, url: plainText(''), headers: [], timeout: '', enabled: true,
  };
}

const blank = (pair: FormPair): boolean => pair.name.trim() === '' && pair.value.text === '' && pair.value.keep === null;

/** As it is sent: rows that were added and never filled are not there, an empty folder is none. */
export function tidyForm(form: ServerForm): ServerForm {
  return {
    ...form,
    env: form.env.filter((pair) => !blank(pair)),
    headers: form.headers.filter((pair) => !blank(pair)),
    cwd: form.cwd === null || form.cwd.trim() === '' ? null : form.cwd,
  };
}

export const sameForm = (a: ServerForm, b: ServerForm): boolean => JSON.stringify(tidyForm(a)) === JSON.stringify(tidyForm(b));

export type PairList = 'env' | 'headers';

/** Lists of arguments are one field: half of one list and half of another is nobody's command. */
export const fieldOf = (field: string): string => (field === 'args' || field.startsWith('args.') ? 'args' : field);

function fieldsOf(form: ServerForm): Map<string, unknown> {
  const fields = new Map<string, unknown>([
    ['name', form.name], ['type', form.transport], ['command', form.command], ['args', form.args], ['cwd', form.cwd], ['url', form.url],
    ['timeout', form.timeout], ['enabled', form.enabled],
  ]);
  for (const list of ['env', 'headers'] as const) for (const pair of form[list]) fields.set(`${list}.${pair.name}`, pair.value);
  return fields;
}

/**
 * What was typed into a form, put on what the file says now. Fields that were not touched are the file's; of those
 * that were, the ones named in `theirs` are the file's too.
 */
export function rebase(base: ServerForm, ours: ServerForm, now: ServerForm, theirs: ReadonlySet<string>): ServerForm {
  const before = fieldsOf(tidyForm(base));
  const typed = fieldsOf(tidyForm(ours));
  const mine = (field: string): boolean => !theirs.has(field) && JSON.stringify(before.get(field)) !== JSON.stringify(typed.get(field));
  const pick = <K extends keyof ServerForm>(key: K, field: string = key): ServerForm[K] => (mine(field) ? ours : now)[key];
  const pairs = (list: PairList): FormPair[] => {
    const kept = ours[list].filter((pair) => !blank(pair));
    const names = new Set(kept.map((pair) => pair.name));
    const merged = kept.flatMap((pair) => {
      if (mine(`${list}.${pair.name}`)) return [pair];
      return now[list].filter((other) => other.name === pair.name);
    });
    // Those the file has besides, but for those that were taken out here.
    return [...merged, ...now[list].filter((pair) => !names.has(pair.name) && !mine(`${list}.${pair.name}`))];
  };
  return {
    name: pick('name'), transport: pick('transport', 'type'), command: pick('command'), args: pick('args'), env: pairs('env'),
    cwd: pick('cwd'), url: pick('url'), headers: pairs('headers'), timeout: pick('timeout'), enabled: pick('enabled'),
  };
}


/** Several lines pasted into one argument are several arguments. */
export const pastedLines = (text: string): string[] | null => {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
  return lines.length > 1 ? lines : null;
};

/** `NAME=value` and `Name: value`, one a line, as they stand in .env files and in curl's output. */
export function pastedPairs(text: string, list: PairList): FormPair[] | null {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const shape = list === 'env' ? /^(?:export\s+)?([A-Za-z_][\w.-]*)=(.*)$/ : /^([\w-]+):\s+(.*)$/;
  const found = lines.map((line) => shape.exec(line));
  if (found.length === 0 || found.some((one) => one === null)) return null;
  return found.flatMap((one) => {
    const [, name, value] = one ?? [];
    if (name === undefined || value === undefined) return [];
    const quoted = /^(["'])(.*)\1$/.exec(value);
    return [{ name, value: plainText(list === 'env' ? (quoted?.[2] ?? value) : value) }];
  });
}
