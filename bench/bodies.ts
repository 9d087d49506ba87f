/**
 * Bodies of requests as agents send them, made anew and always the same: `plain` is one long text of a person, `agent` a conversation of a coding
 * agent, most of it calls of tools and what they gave: escaped code, short strings, numbers, names that come again and again. Claude Code speaks
 * Messages, Codex speaks Responses, others Chat Completions.
 */

export type Api = 'chat' | 'messages' | 'responses';
export type Style = 'plain' | 'agent';

export const targetOfApi: Readonly<Record<Api, string>> = { chat: '/v1/chat/completions', messages: '/v1/messages', responses: '/v1/responses' };

/** A request's body of about so many bytes, at least 1 KB, as JSON. */
export function bodyOf(api: Api, style: Style, bytes: number, streams: boolean): Buffer {
  const start = openings[api](streams);
  const turns: object[] = style === 'plain' ? [said[api](plainText(bytes - JSON.stringify(start).length - 120))] : [];
  if (style === 'agent') {
    for (let size = JSON.stringify(start).length, at = 0; size < bytes; at += 1) {
      const turn = worked[api](at);
      turns.push(...turn);
      size += JSON.stringify(turn).length;
    }
  }
  const conversation = api === 'responses' ? 'input' : 'messages';
  return Buffer.from(JSON.stringify({ ...start, [conversation]: turns }));
}

const openings: Readonly<Record<Api, (streams: boolean) => object>> = {
  chat: (streams) => ({ model: 'gpt-4o-mini', temperature: 0, ...(streams ? { stream: true } : {}) }),
  messages: (stream) => ({
    model: 'claude-sonnet-4-5', max_tokens: 32_000, temperature: 1, stream, metadata: { user_id: 'user_1_account__session_2' },
  }),
  responses: (stream) => ({
    model: 'gpt-5-codex', instructions: 'You are a coding agent.', store: false, stream, parallel_tool_calls: false,
    reasoning: { effort: 'medium', summary: 'auto' }, include: ['reasoning.encrypted_content'], prompt_cache_key: '0199a1b2-c3d4',
  }),
};

/** A person's message. */
const said: Readonly<Record<Api, (text: string) => object>> = {
  chat: (text) => ({ role: 'user', content: text }),
  messages: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
  responses: (text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
};

/** A call of a tool, and what it gave. */
const worked: Readonly<Record<Api, (at: number) => object[]>> = {
  chat: (at) => [
    { role: 'assistant', content: null,
      tool_calls: [{ id: `call_${at}`, type: 'function', function: { name: toolOf(at), arguments: JSON.stringify(asked(at)) } }] },
    { role: 'tool', tool_call_id: `call_${at}`, content: given(at) },
  ],
  messages: (at) => [
    { role: 'assistant', content: [
      { type: 'text', text: 'Let me look.' }, { type: 'tool_use', id: `toolu_${at}`, name: toolOf(at), input: asked(at) },
    ] },
    { role: 'user', content: [
      { type: 'tool_result', tool_use_id: `toolu_${at}`, content: [{ type: 'text', text: given(at) }], is_error: false },
    ] },
  ],
  responses: (at) => [
    { type: 'reasoning', summary: [], content: null, encrypted_content: letters(at, 240) },
    { type: 'function_call', name: toolOf(at), arguments: JSON.stringify(asked(at)), call_id: `call_${at}` },
    { type: 'function_call_output', call_id: `call_${at}`,
      output: JSON.stringify({ output: given(at), metadata: { exit_code: 0, duration_seconds: 0.1 } }) },
  ],
};

const tools = ['Read', 'Edit', 'Bash', 'Grep'];
const toolOf = (at: number): string => tools[at % tools.length]!;

function asked(at: number): object {
  const file = `/srv/app/src/modules/part-${at % 37}/index.ts`;
  if (at % 4 === 1) return { file_path: file, old_string: codeLine(at), new_string: `${codeLine(at + 1)}\n${codeLine(at + 2)}`, replace_all: false };
  if (at % 4 === 2) return { command: `rg -n "part_${at}" src | sed -e 's/\\t/ /g' | head -n 20`, timeout: 120_000 };
  return { file_path: file, offset: at * 7, limit: 60 };
}

/** Numbered lines of code, a listing, or a short word. */
function given(at: number): string {
  if (at % 4 === 1) return `The file /srv/app/src/modules/part-${at % 37}/index.ts has been updated.`;
  if (at % 4 === 2) {
    return JSON.stringify(Array.from({ length: 12 }, (_, line) => ({ path: `src/part-${line}.ts`, line: line * at, text: codeLine(line) })));
  }
  return Array.from({ length: 40 }, (_, line) => `${String(line + 1).padStart(6)}\t${codeLine(at + line)}`).join('\n');
}

const lines = [
  'import { readFile } from "node:fs/promises";', '', 'export function part(input: string): Result<string, Error> {',
  '  const match = /^\\s*"(\\w+)"\\s*:\\s*\\[/.exec(input);',
  '  if (match === null) return { ok: false, error: new Error(`No name in "${input}"`) };',
  '  // Größe und Zeit: siehe §4 – „schnell“', '  return { ok: true, value: match[1]!.replaceAll("\\n", "\\\\n") };', '}', '',
  'test("reads a name", () => { expect(part("\\"a\\": [1]")).toEqual({ ok: true, value: "a" }); });',
];
const codeLine = (at: number): string => lines[at % lines.length]!;

const words = 'the gateway reads what it is sent and counts it once so that every caller knows what a call has cost them in the end'.split(' ');

function plainText(bytes: number): string {
  let text = '';
  for (let at = 0; text.length < bytes; at += 1) text += `${words[(at * 7) % words.length]!}${at % 17 === 16 ? '. ' : ' '}`;
  return text.slice(0, Math.max(0, bytes));
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function letters(seed: number, count: number): string {
  return Array.from({ length: count }, (_, at) => alphabet[(at * 31 + seed * 17) % 64]).join('');
}
