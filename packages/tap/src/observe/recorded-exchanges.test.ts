/**
 * Readings of recorded answers of every wire, compared with what a separate program read in them. Rule 27.
 * The recordings lie beside the checkout; without them, only `reading.test.ts` reads answers.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readingInto } from './reading.ts';
import type { SeenFigures } from '../seen-call.ts';

const corpus = new URL('../../../../../shared/corpus/', import.meta.url);
const wires = ['openai-chat-completions', 'openai-completions', 'openai-embeddings', 'openai-responses', 'anthropic-messages', 'compatible-chat'];

interface Recorded {
  readonly response: { readonly status: number; readonly body: string };
  readonly streamed: boolean;
  readonly expected: { readonly [name in 'model' | 'finish']: string | null }
    & { readonly [name in 'input' | 'output' | 'cached' | 'reasoning']: number | null };
}

function read(parts: readonly unknown[]): SeenFigures {
  const figures: SeenFigures = {
    provider: 'other', model: null, request_id: null, input_tokens: 0, output_tokens: 0, cached_tokens: 0,
    stop_reason: 'other', tool_calls: 0, status: 200, latency_ms: 0, rate_limit: null,
  };
  const see = readingInto(figures);
  for (const part of parts) see(part);
  return figures;
}

function partsOf({ response, streamed }: Recorded): unknown[] {
  const text = Buffer.from(response.body, 'base64').toString();
  if (!streamed) return [JSON.parse(text)];
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim());
  return data.filter((line) => line !== '' && line !== '[DONE]').map((line) => JSON.parse(line) as unknown);
}

/** What Groq's streams say in a field of their own that the other program does not know; zeros if the field is absent. */
function groqUsageIn(parts: readonly unknown[]): { readonly prompt_tokens: number; readonly completion_tokens: number } {
  type Chunk = { readonly x_groq?: { readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } } };
  return (parts as readonly Chunk[]).map((part) => part.x_groq?.usage).find((usage) => usage !== undefined)
    ?? { prompt_tokens: 0, completion_tokens: 0 };
}

for (const wire of existsSync(corpus) ? wires : []) {
  test(`${wire}: model and tokens as the wire names them`, () => {
    for (const name of readdirSync(new URL(`${wire}/`, corpus))) {
      const recorded = JSON.parse(readFileSync(new URL(`${wire}/${name}`, corpus), 'utf8')) as Recorded;
      if (recorded.response.status >= 300) continue;
      const { expected } = recorded;
      const parts = partsOf(recorded);
      const groq = groqUsageIn(parts);
      const { model, input_tokens, output_tokens, cached_tokens } = read(parts);
      assert.deepEqual(
        { name, model, input_tokens, output_tokens, cached_tokens },
        {
          name, model: expected.model, input_tokens: expected.input ?? groq.prompt_tokens, output_tokens: expected.output ?? groq.completion_tokens,
          cached_tokens: expected.cached ?? 0,
        },
      );
    }
  });
}
