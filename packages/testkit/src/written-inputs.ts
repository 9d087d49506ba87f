/**
 * Inputs written by others (`../shared/inputs`) → bytes to throw at a reader or at a port. If the folder is not on this machine, a few of our
 * own replace them, so that the tests that use them still mean something.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { sharedFolder } from './corpus.ts';

/** One input, with the name by which its failure is reported. */
export interface WrittenInput {
  readonly name: string;
  readonly bytes: Buffer;
}

const ownJson: readonly (readonly [string, string])[] = [
  ['y_stream_true.json', '{"stream":true}'], ['y_stream_spaced.json', ' \n{ "stream" : true , "a":[1,{"stream_options":1}]}'],
  ['y_escaped_name.json', '{"\\u0073tream":true}'], ['y_last_wins.json', '{"stream":true,"stream":false}'], ['y_empty.json', '{}'],
  ['n_trailing.json', '{"stream":true}}'], ['n_open.json', '{"stream":true'], ['n_empty.json', ''],
  ['n_single_quotes.json', "{'stream':true}"],
  ['i_bom.json', '\ufeff{"stream":true}'],
];

const ownHttp: readonly (readonly [string, string])[] = [
  ['simple', 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n'], ['bare line feed', 'GET /v1/models HTTP/1.1\nHost: x\n\n'],
  ['both framings', 'POST /v1/a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['two lengths', 'POST /v1/a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
  ['space before colon', 'GET /v1/a HTTP/1.1\r\nHost : x\r\n\r\n'],
  ['folded header', 'GET /v1/a HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
  ['no HTTP', '\x16\x03\x01\x00\xee'], ['connect', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n'],
];

/** JSON texts, valid (`y_`), invalid (`n_`) and disputed (`i_`). */
export function jsonInputs(): WrittenInput[] {
  const folder = new URL('inputs/json/', sharedFolder);
  const own = ownJson.map(([name, text]) => ({ name, bytes: Buffer.from(text) }));
  if (!existsSync(folder)) return own;
  const names = readdirSync(folder).filter((name) => name.endsWith('.json')).sort();
  return [...own, ...names.map((name) => ({ name, bytes: readFileSync(new URL(encodeURIComponent(name), folder)) }))];
}

/** Raw messages from the fixtures of an HTTP parser; those for its lenient modes are left out. */
export function httpInputs(kind: 'request' | 'response'): WrittenInput[] {
  const folder = new URL(`inputs/http/${kind}/`, sharedFolder);
  const own = kind === 'request' ? ownHttp.map(([name, text]) => ({ name, bytes: Buffer.from(text, 'latin1') })) : [];
  if (!existsSync(folder)) return own;
  const files = readdirSync(folder).filter((name) => name.endsWith('.md') && !name.startsWith('lenient')).sort();
  return [...own, ...files.flatMap((file) => blocksOf(file, readFileSync(new URL(file, folder), 'utf8')))];
}

/** The `http` blocks of one Markdown file, with escapes resolved as the fixtures' own runner does. */
function blocksOf(file: string, markdown: string): WrittenInput[] {
  const blocks = [...markdown.matchAll(/^```http\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');
  return blocks.map((block, at) => {
    const text = block.replace(/\n$/, '').replaceAll(/\\\n/g, '').replaceAll('\n', '\r\n')
      .replaceAll('\\r', '\r').replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\f', '\f')
      .replaceAll(/\\x([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return { name: `${file}#${at + 1}`, bytes: Buffer.from(text, 'latin1') };
  });
}
