// What a JSON schema says about a place in a file: keys and values to offer, and the words for a key.
export type Schema = Record<string, unknown>;
export type Path = readonly (string | number)[];

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const own = (object: unknown, key: string): unknown => (isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined);

/** The schema itself and all it is made of; references lead inside the document only. */
function parts(schema: unknown, root: unknown, depth = 0): Schema[] {
  if (!isObject(schema) || depth > 12) return [];
  const reference = schema['$ref'];
  if (typeof reference === 'string' && reference.startsWith('#')) {
    const target = reference.slice(1).split('/').filter((part) => part !== '').reduce<unknown>((at, part) => own(at, part.replaceAll('~1', '/').replaceAll('~0', '~')), root);
    return parts(target, root, depth + 1);
  }
  const several = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? (schema[key] as unknown[]) : []));
  return [schema, ...several.flatMap((one) => parts(one, root, depth + 1))];
}

function step(schema: Schema, key: string | number): unknown[] {
  if (typeof key === 'number') return isObject(schema['items']) ? [schema['items']] : [];
  const named = own(schema['properties'], key);
  if (named !== undefined) return [named];
  const patterns = isObject(schema['patternProperties']) ? Object.entries(schema['patternProperties']) : [];
  const fitting = patterns.filter(([pattern]) => {
    try {
      return new RegExp(pattern, 'u').test(key);
    } catch {
      return false;
    }
  });
  if (fitting.length > 0) return fitting.map(([, value]) => value);
  return isObject(schema['additionalProperties']) ? [schema['additionalProperties']] : [];
}

/** All that may hold at a place. */
export function schemasAt(root: unknown, path: Path): Schema[] {
  return path.reduce<Schema[]>((at, key) => at.flatMap((schema) => step(schema, key)).flatMap((schema) => parts(schema, root)), parts(root, root));
}

export interface Known {
  key: string;
  detail: string;
  info: string;
}

const typeOf = (schema: Schema): string => {
  const type = schema['type'];
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : Array.isArray(schema['enum']) ? 'one of several' : '';
};
export const descriptionOf = (schemas: readonly Schema[]): string =>
  schemas.map((schema) => schema['description']).find((text): text is string => typeof text === 'string') ?? '';

export function keysAt(root: unknown, path: Path): Known[] {
  const found = new Map<string, Known>();
  for (const schema of schemasAt(root, path)) {
    if (!isObject(schema['properties'])) continue;
    for (const [key, value] of Object.entries(schema['properties'])) {
      const all = parts(value, root);
      if (!found.has(key)) found.set(key, { key, detail: all.map(typeOf).find((text) => text !== '') ?? '', info: descriptionOf(all) });
    }
  }
  return [...found.values()];
}

export function valuesAt(root: unknown, path: Path): string[] {
  const found = schemasAt(root, path).flatMap((schema) => {
    const values = Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : 'const' in schema ? [schema['const']] : [];
    return schema['type'] === 'boolean' ? [...values, true, false] : values;
  });
  return [...new Set(found.map((value) => JSON.stringify(value)))];
}
