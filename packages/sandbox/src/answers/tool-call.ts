/**
 * A request with tools → the tool call that the sandbox answers with instead of text, with arguments that fit its schema. It calls the tool
 * that `tool_choice` asks for, or else one that the last message mentions by name. Agents really run the tools they are asked to call, so no
 * unmentioned tool is called. If the last message is a tool's result, the answer is text, so every loop ends.
 */
import { isFields, objectsOf, type Fields, type SandboxRequest } from '../sandbox-request.ts';
import { exampleOf } from './schema-example.ts';

export interface ToolCall {
  readonly name: string;
  /** JSON text of an object. */
  readonly arguments: string;
}

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
  return { name: tool.name, arguments: JSON.stringify(exampleOf(tool.schema)) };
}

/** A tool in the forms of the three dialects; null for tools that the provider itself runs. */
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

/** True if the text contains a word of the tool's name: `get_weather` in "What is the weather?". */
function isNamed(name: string, said: string): boolean {
  return name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).some((word) => word.length > 3 && said.includes(word.toLowerCase()));
}

/** The text of the last message only: earlier messages were answered. */
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
