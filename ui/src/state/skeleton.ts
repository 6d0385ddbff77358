// A first draft of a tool's arguments: its required properties, as empty as the schema allows.
const DEPTH = 6;

type Schema = Record<string, unknown>;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Follows references inside the document only; others are the server's word and fetch nothing. */
function resolve(schema: Schema, root: unknown): unknown {
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#')) return schema;
  let at: unknown = root;
  for (const part of reference.slice(1).split('/').filter((piece) => piece !== '')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(at) || !Object.hasOwn(at, key)) return null;
    at = at[key];
  }
  return at;
}

function draft(given: unknown, root: unknown, depth: number): unknown {
  if (!isObject(given) || depth > DEPTH) return null;
  const schema = resolve(given, root);
  if (!isObject(schema)) return null;
  if (schema['$ref'] !== undefined && schema !== given) return draft(schema, root, depth + 1);
  if ('default' in schema) return schema['default'];
  if ('const' in schema) return schema['const'];
  const choices = schema['enum'];
  if (Array.isArray(choices) && choices.length > 0) return choices[0];
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const several = schema[key];
    if (Array.isArray(several) && several.length > 0) return draft(several[0], root, depth + 1);
  }
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    default:
      return isObject(schema['properties']) || type === 'object' ? object(schema, root, depth) : null;
  }
}

function object(schema: Schema, root: unknown, depth: number): Schema {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  // fromEntries defines own properties, so a property named `__proto__` stays data.
  return Object.fromEntries(
    required
      .filter((name): name is string => typeof name === 'string')
      .map((name) => [name, draft(Object.hasOwn(properties, name) ? properties[name] : {}, root, depth + 1)]),
  );
}

export function skeleton(schema: unknown): string {
  const value = draft(schema, schema, 0);
  return JSON.stringify(isObject(value) ? value : {}, null, 2);
}
