// Reads what was typed as a tool's arguments.
import { t } from '../../i18n';

export type Parsed = { ok: true; value: object } | { ok: false; message: string };

export function parseArguments(text: string): Parsed {
  if (text.trim() === '') return { ok: true, value: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return { ok: false, message: t.tools.badJson(thrown instanceof Error ? thrown.message : String(thrown)) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { ok: false, message: t.tools.notObject };
  return { ok: true, value };
}
