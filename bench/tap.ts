/**
 * `node bench/tap.ts`: what the tap adds to a host's call, and the memory it takes. A client that answers at once is called bare and
 * wrapped in alternating rounds; the figures are the medians of the rounds. Memory: a full queue without a server, and an idle tap.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { queueEventsMax } from '@metergate/tap/src/reporting/reporter.ts';
import { tap } from '@metergate/tap/src/tap.ts';

const rounds = 21;
const callsInRound = 20_000;

interface Client {
  readonly chat: { readonly completions: { create(request: object): Promise<object> } };
}

const answer = {
  id: 'chatcmpl-1', object: 'chat.completion', model: 'gpt-5.1', choices: [{ index: 0, finish_reason: 'stop', message: { content: 'x' } }],
  usage: { prompt_tokens: 12, completion_tokens: 34, prompt_tokens_details: { cached_tokens: 5 } },
};

function client(): Client {
  return { chat: { completions: { create: async () => answer } } };
}

/** Microseconds a call, and the 99th percentile of single calls. */
async function round({ chat }: Client): Promise<{ mean: number; p99: number }> {
  const durations = new Float64Array(callsInRound);
  const startedAt = performance.now();
  for (let at = 0; at < callsInRound; at += 1) {
    const before = performance.now();
    await chat.completions.create({ model: 'gpt-5.1' });
    durations[at] = performance.now() - before;
  }
  const mean = ((performance.now() - startedAt) / callsInRound) * 1_000;
  return { mean, p99: durations.sort()[Math.floor(callsInRound * 0.99)]! * 1_000 };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heap = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};

const bare = client();
const before = heap();
const wrapped = tap(client(), 'bench', { key: 'svc_tap_bench', endpoint: 'http://127.0.0.1:9/tap/v1/events' });
const idle = heap() - before;
await round(bare);
await round(wrapped);
const results = { bare: [] as { mean: number; p99: number }[], wrapped: [] as { mean: number; p99: number }[] };
for (let at = 0; at < rounds; at += 1) {
  results.bare.push(await round(bare));
  results.wrapped.push(await round(wrapped));
}
const added = (figure: 'mean' | 'p99'): string =>
  (median(results.wrapped.map((each) => each[figure])) - median(results.bare.map((each) => each[figure]))).toFixed(1);
console.log(`tap, added to a call: ${added('mean')} us in the mean, ${added('p99')} us at p99 (limit 1,000)`);
console.log(`tap, memory: ${idle} bytes for a wrapped client, ${heap() - before} bytes with ${queueEventsMax} events that nobody takes`);
// Nobody listens at the endpoint, so do not wait for the posts at the end of the process.
process.removeAllListeners('exit');
