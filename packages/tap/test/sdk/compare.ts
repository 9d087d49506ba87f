/**
 * Runs one script on a bare client and on an observed one, and holds the two against each other: what each step gave or threw, and in
 * which order; then the calls seen against those expected, and their number against what the provider was asked.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { observe } from '../../src/observe/observe.ts';
import { portrait } from './portrait.ts';
import { startFakeProvider } from './fake-provider.ts';
import type { FakeProvider } from './fake-provider.ts';
import type { SeenCall } from '../../src/seen-call.ts';

/** What a call is expected to be seen as; a latency is checked by its range. */
export type Expected = Partial<Omit<SeenCall, 'latency_ms'>>;

/** One step: what is done with the client, and what is to be seen of it. */
export interface Step<Client> {
  readonly name: string;
  readonly run: (client: Client, provider: FakeProvider) => unknown;
  readonly seen: readonly Expected[];
  /** The provider never heard of these calls. */
  readonly unheard?: boolean;
}

/** A script for one version of one SDK. */
export interface Script<Client> {
  readonly name: string;
  readonly client: (url: string) => Client;
  readonly steps: readonly Step<Client>[];
}

/** What is thrown counts as a result. */
export async function outcomeOf(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    return { threw: error };
  }
}

/** Waits until nothing that was started in this turn is left to do. */
export async function settled(done: () => boolean, turns = 2000): Promise<void> {
  for (let turn = 0; turn < turns && !done(); turn += 1) await new Promise((resolve) => { setImmediate(resolve); });
}

/** Does something once the provider has the request that is being made. */
export function onceAsked(provider: FakeProvider, act: () => void): void {
  const before = provider.calls();
  void settled(() => provider.calls() > before, 100_000).then(act);
}

/** Registers the tests of a script: one for each step. */
export function compare<Client extends object>({ name, client, steps }: Script<Client>): void {
  describe(name, () => {
    let provider: FakeProvider;
    before(async () => {
      provider = await startFakeProvider();
    });
    after(() => provider.close());

    for (const step of steps) {
      test(step.name, async () => {
        const bare = client(provider.url);
        const expected = portrait(await outcomeOf(() => step.run(bare, provider)));
        const seen: SeenCall[] = [];
        const observed = client(provider.url);
        const keys = portrait({ keys: Object.keys(observed), proto: Object.getPrototypeOf(observed) });
        assert.equal(observe(observed, (call) => seen.push(call)), true);
        assert.equal(portrait({ keys: Object.keys(observed), proto: Object.getPrototypeOf(observed) }), keys, 'the client shows other keys');
        const asked = provider.calls();
        const got = portrait(await outcomeOf(() => step.run(observed, provider)));
        assert.equal(got, expected);
        await settled(() => seen.length >= step.seen.length);
        assert.deepEqual(seen.map((call, index) => pick(call, step.seen[index] ?? call)), step.seen);
        for (const { latency_ms: latency } of seen) assert.ok(latency >= 0 && latency < 60_000, `latency ${latency}`);
        if (!step.unheard) assert.equal(seen.length, provider.calls() - asked, 'as many events as calls');
      });
    }
  });
}

function pick(call: SeenCall, wanted: Expected): Expected {
  const steady = { ...call, request_id: call.request_id?.replace(/-\d+$/, '-N') ?? null };
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, steady[key as keyof typeof steady]]));
}
