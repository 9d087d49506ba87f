/**
 * Recorded and hand-made provider exchanges: the reading equals what the provider reported, however the body is cut.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import type { ReadingContext, Reading } from './reading.ts';
import { createUsageReader } from './reader.ts';

interface Expected {
  model: string | null; finish: string | null; input: number | null; output: number | null; cached: number | null;
  cache_write: number | null; reasoning: number | null; cost: number | null;
}
interface Exchange {
  wire: string;
  response: { status: number; body: string };
  streamed: boolean;
  expected: Expected;
}

const routes: Record<string, Pick<ReadingContext, 'wire' | 'endpoint'>> = {
  'openai-chat-completions': { wire: 'openai', endpoint: 'chat.completions' },
  'openai-completions': { wire: 'openai', endpoint: 'completions' },
  'openai-embeddings': { wire: 'openai', endpoint: 'embeddings' },
  'openai-responses': { wire: 'openai', endpoint: 'responses' },
  'anthropic-messages': { wire: 'anthropic', endpoint: 'messages' },
  'compatible-chat': { wire: 'upstream', endpoint: 'chat.completions' },
};

function readingOf(context: ReadingContext, body: Uint8Array, cuts: Iterable<number>): { reading: Reading; dialogueEnded: boolean } {
  const reader = createUsageReader(context);
  let from = 0;
  for (const cut of cuts) {
    reader.push(body.slice(from, cut));
    from = cut;
  }
  reader.push(body.slice(from));
  const { dialogueEnded } = reader;
  return { reading: reader.finish('whole'), dialogueEnded };
}

function summary({ model, finishReason, tokens, reportedCost }: Reading): Expected {
  return {
    model, finish: finishReason, input: tokens.input, output: tokens.output, cached: tokens.cached,
    cache_write: tokens.cacheWrite, reasoning: tokens.reasoning, cost: reportedCost === null ? null : Number(reportedCost),
  };
}

function pieces(length: number, pieceBytes: number): number[] {
  return Array.from({ length: Math.floor(length / pieceBytes) }, (_, index) => (index + 1) * pieceBytes);
}

/** Two figures that the program which read the recordings does not know: cache writes of the first wire, and usage in `x_groq`. */
function expectedOf({ expected, response }: Exchange): Expected {
  const text = Buffer.from(response.body, 'base64').toString('utf8');
  const own = /"x_groq":\{(?:"id":"[^"]*",)?"usage":\{[^}]*"prompt_tokens":(\d+)[^}]*"completion_tokens":(\d+)/.exec(text);
  const written = /"(?:input|prompt)_tokens_details": ?\{[^}]*"cache_write_tokens": ?(\d+)/g;
  return {
    ...expected,
    ...(own === null || expected.input !== null ? {} : { input: Number(own[1]), output: Number(own[2]) }),
    cache_write: expected.cache_write ?? [...text.matchAll(written)].map((match) => Number(match[1])).at(-1) ?? null,
  };
}

function checkExchange(exchange: Exchange, context: ReadingContext): void {
  const expected = expectedOf(exchange);
  const body = Uint8Array.from(Buffer.from(exchange.response.body, 'base64'));
  const due = expected.input === null && expected.output === null ? 'unknown' : 'reported';
  const whole = readingOf(context, body, []);
  assert.deepEqual(summary(whole.reading), expected);
  assert.equal(whole.reading.usage, due);
  assert.equal(whole.reading.usageReason, due === 'unknown' ? 'absent' : null);

  const check = (cuts: Iterable<number>) => assert.deepEqual(readingOf(context, body, cuts), whole);
  check(pieces(body.length, 1));
  if (body.length < 4096) for (let cut = 1; cut < body.length; cut++) check([cut]);
  const randomCuts = fc.array(fc.nat(body.length), { maxLength: 30 }).map((cuts) => cuts.toSorted((a, b) => a - b));
  fc.assert(fc.property(randomCuts, check), { numRuns: draws(8) });
}

/** A call cut after `length` bytes: figures are the final ones or none; on the second wire they may be those so far. */
function checkCut(exchange: Exchange, context: ReadingContext, length: number): void {
  const reader = createUsageReader(context);
  const received = Buffer.from(exchange.response.body, 'base64').subarray(0, length);
  reader.push(Uint8Array.from(received));
  // The end of the bytes also ends the last line.
  const dialogueEnded = reader.dialogueEnded || /\ndata: ?\[DONE\]$/.test(received.toString('latin1'));
  const { usage, usageReason, tokens } = reader.finish('cut');
  const { input, output } = expectedOf(exchange);
  if (usage === 'reported') assert.deepEqual([tokens.input, tokens.output], [input, output]);
  else if (usage === 'partial') assert.equal(exchange.wire, 'anthropic-messages');
  else assert.deepEqual([tokens.input, tokens.output], [null, null]);
  if (usage !== 'reported') assert.equal(usageReason, dialogueEnded ? 'absent' : 'cut');
}

function registerFolder(folder: URL): void {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const exchange = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Exchange;
    const route = routes[exchange.wire];
    if (route === undefined || Math.floor(exchange.response.status / 100) !== 2) continue;
    const context = { ...route, streamed: exchange.streamed };
    test(`${exchange.wire} ${file}: reading equals what was reported, cut anywhere`, () => checkExchange(exchange, context));
    test(`${exchange.wire} ${file}: ended early, it holds the final figures, marked ones, or none`, () => {
      const bytes = Buffer.from(exchange.response.body, 'base64').length;
      const step = Math.max(1, Math.floor(bytes / 64));
      for (let length = 0; length <= bytes; length += step) checkCut(exchange, context, length);
      for (let length = Math.max(0, bytes - 40); length <= bytes; length++) checkCut(exchange, context, length);
    });
  }
}

describe('hand-made exchanges', () => registerFolder(new URL('../../../testkit/fixtures/', import.meta.url)));

const corpus = new URL('../../../../../shared/corpus/', import.meta.url);
if (existsSync(corpus)) {
  for (const wire of Object.keys(routes)) describe(`recorded: ${wire}`, () => registerFolder(new URL(`${wire}/`, corpus)));
}
