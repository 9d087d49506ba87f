/**
 * A request with tools → the tool call that the sandbox answers with in place of text, with arguments that fit its schema. It calls the tool
 * that `tool_choice` asks for, or else one that the last message mentions by name. An agent runs what it is told to, so no unmentioned tool
 * is called. If the last message is a tool's result, the answer is text, so every loop ends.
 */
import { isFields, objectsOf, type Fields, type SandboxRequest } from './sandbox-request.ts';

export interface ToolCall {
  readonly name: string;
  /** JSON text of an object. */
  readonly arguments: string;
}

/** How deep a schema is followed. */
const depthMax = 8;

export function toolCallOf({ body }: SandboxRequest): ToolCall | null {
  const tools = objectsOf(body['tools']).map(functionOf).filter((tool) => tool !== null);
  const choice = body['tool_choice'];
  const kind = isFields(choice) ? choice['type'] : choice;
  if (kind === 'none' || endsWithResult(body)) return null;
  const wanted = isFields(choice) ? nameOf(choice) : null;
  const said = lastSaid(body).toLowerCase();
  const spokenOf = kind === 'required' || kind === 'any' ? tools[0] : tools.find(({ name }) => isNamed(name, said));
  const tool = tools.find(({ name }) => name === wanted) ?? spokenOf;
  if (tool === undefined) return null;
  return { name: tool.name, arguments: JSON.stringify(exampleOf(tool.schema, 0) ?? {}) };
}

/** The three dialects' forms of a tool that the caller runs; null for those that a provider runs. */
function functionOf(tool: Fields): { name: string; schema: unknown } | null {
  const form = isFields(tool['function']) ? tool['function'] : tool;
  const { name } = form;
  const schema = form['parameters'] ?? form['input_schema'];
  if (typeof name !== 'string' || (schema === undefined && tool['type'] !== 'function' && tool['type'] !== 'custom')) return null;
  return { name, schema };
}

function nameOf(choice: Fields): unknown {
  return choice['name'] ?? (isFields(choice['function']) ? choice['function']['name'] : null);
}

/** A word of a tool's name stands in what was said: `get_weather` in "What is the weather?". */
function isNamed(name: string, said: string): boolean {
  return name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).some((word) => word.length > 3 && said.includes(word.toLowerCase()));
}

/** The text of the last message alone: what came before was answered. */
function lastSaid(body: Fields): string {
  const all = body['messages'] ?? body['input'];
  if (typeof all === 'string') return all;
  const content = objectsOf(all).at(-1)?.['content'];
  return typeof content === 'string' ? content : objectsOf(content).map(({ text }) => (typeof text === 'string' ? text : '')).join(' ');
}

function endsWithResult(body: Fields): boolean {
  const last = objectsOf(body['messages'] ?? body['input']).at(-1);
  if (last === undefined) return false;
  if (last['role'] === 'tool' || last['type'] === 'function_call_output') return true;
  return objectsOf(last['content']).some(({ type }) => type === 'tool_result');
}

/** A value that a JSON schema takes, for the keywords that tools use. */
function exampleOf(schema: unknown, depth: number): unknown {
  if (!isFields(schema) || depth > depthMax) return null;
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] ?? null;
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives)) return exampleOf(alternatives[0], depth + 1);
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'string': return 'example';
    case 'integer': case 'number': return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean': return true;
    case 'null': return null;
    case 'array': return [exampleOf(schema['items'] ?? { type: 'string' }, depth + 1)];
    default: return isFields(schema['properties']) ? exampleObject(schema['properties'], depth) : {};
  }
}

function exampleObject(properties: Fields, depth: number): Fields {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, depth + 1)]));
}
