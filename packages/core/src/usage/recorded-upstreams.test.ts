/**
 * Recorded exchanges of providers whose words are read on named upstreams: the reading is what a plain reading of the JSON gives, however the body
 * is cut. The exchanges lie beside the checkout on some machines only.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { corpus } from '@metergate/testkit/corpus.ts';
import type { Exchange } from '@metergate/testkit/exchange.ts';
import { routeOf } from '../call/route.ts';
import { plainOperationOf, withoutUsage } from './operation.ts';
import { createUsageReader } from './reader.ts';
import type { Reading, ReadingContext } from './reading.ts';
import { dialectOfOperation } from './upstream-dialects.ts';

interface GoogleAnswer {
  readonly modelVersion?: string;
  readonly candidates?: readonly { readonly finishReason?: string }[];
  readonly usageMetadata?: Readonly<Record<string, unknown>>;
}

/** The last figures that an answer or its stream holds. */
function expectedOf({ streamed, body }: { readonly streamed: boolean; readonly body: Buffer }) {
  const text = body.toString('utf8');
  const parts = (streamed ? text.split(/\r?\n/).filter((line) => line.startsWith('data:')).map((line) => line.slice('data:'.length)) : [text])
    .map((part) => JSON.parse(part) as GoogleAnswer);
  const last = <Value>(of: (part: GoogleAnswer) => Value | undefined): Value | null => parts.map(of).findLast((each) => each !== undefined) ?? null;
  const usage = last((part) => part.usageMetadata);
  const figure = (...names: readonly string[]): number | null => {
    const found = names.map((name) => usage?.[name]).filter((each): each is number => typeof each === 'number');
    return found.length === 0 ? null : found.reduce((sum, each) => sum + each);
  };
  return {
    model: last((part) => part.modelVersion), finish: last((part) => part.candidates?.[0]?.finishReason),
    input: figure('promptTokenCount', 'toolUsePromptTokenCount'), output: figure('candidatesTokenCount', 'thoughtsTokenCount'),
    cached: figure('cachedContentTokenCount'), reasoning: figure('thoughtsTokenCount'),
  };
}

function contextOf({ request, streamed }: Exchange): ReadingContext {
  const path = `/upstreams/google${request.path.split('?', 1)[0]!}`;
  const { endpoint } = routeOf('POST', path)!;
  return {
    wire: 'upstream', endpoint, streamed, dialect: dialectOfOperation(plainOperationOf(path), null),
    without: withoutUsage({ endpoint, method: 'POST', path }),
  };
}

function read(context: ReadingContext, body: Uint8Array, step: number): Reading {
  const reader = createUsageReader(context);
  for (let from = 0; from < body.length; from += step) reader.push(body.subarray(from, from + step));
  return reader.finish('whole');
}

for (const exchange of corpus('google').filter(({ response, request }) => response.status === 200 && request.method === 'POST')) {
  test(`google ${exchange.name}: ${exchange.request.path}`, () => {
    const { body } = exchange.response;
    const context = contextOf(exchange);
    const whole = read(context, body, body.length);
    for (const step of [1, 7, 1_024]) assert.deepEqual(read(context, body, step), whole);
    const expected = expectedOf({ streamed: exchange.streamed, body: Buffer.from(body) });
    const { model, finishReason, usage, tokens: { input, output, cached, reasoning } } = whole;
    if (expected.input === null && expected.output === null) return assert.notEqual(usage, 'reported');
    // A figure of nothing may be left out.
    const zeroed = ({ output: made, ...rest }: ReturnType<typeof expectedOf>) => ({ ...rest, output: made ?? 0 });
    assert.deepEqual(zeroed({ model, finish: finishReason, input, output, cached, reasoning }), zeroed(expected));
    assert.equal(usage, 'reported');
  });
}
