/** A JSON schema → a value that fits it, for the keywords that clients use in tools and answer formats. The same in every run. */
import { isFields, type Fields } from '../sandbox-request.ts';

/** How deep a schema is followed. */
const depthMax = 8;

/** Texts of a named form; any other text is `example`. */
const textOfFormat: ReadonlyMap<unknown, string> = new Map([
  ['date-time', '2026-01-01T00:00:00Z'], ['date', '2026-01-01'], ['time', '00:00:00Z'], ['email', 'example@example.com'],
  ['uri', 'https://example.com/'], ['uuid', '00000000-0000-4000-8000-000000000000'],
]);

/** An empty object if the schema says nothing; null if it is nested too deep. */
export function exampleOf(schema: unknown): unknown {
  return example(schema, schema, 0) ?? {};
}

function example(schema: unknown, root: unknown, depth: number): unknown {
  if (!isFields(schema) || depth > depthMax) return null;
  if (typeof schema['$ref'] === 'string') return example(definition(schema['$ref'], root), root, depth + 1);
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] ?? null;
  for (const alternatives of [schema['anyOf'], schema['oneOf'], schema['allOf']]) {
    if (Array.isArray(alternatives)) return example(alternatives[0], root, depth + 1);
  }
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'string': return textOfFormat.get(schema['format']) ?? 'example';
    case 'integer': case 'number': return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean': return true;
    case 'null': return null;
    case 'array': return [example(schema['items'] ?? { type: 'string' }, root, depth + 1)];
    default: return isFields(schema['properties']) ? exampleObject(schema['properties'], root, depth) : {};
  }
}

function exampleObject(properties: Fields, root: unknown, depth: number): Fields {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, example(schema, root, depth + 1)]));
}

/** What a reference within the schema points to: `#`, `#/$defs/City`. */
function definition(reference: string, root: unknown): unknown {
  return reference.split('/').slice(1).reduce((at, name) => (isFields(at) ? at[name] : null), root);
}
