/**
 * Runs one script on a bare client and on an observed one, and compares the two: what each step returned or threw, and in which order;
 * then the calls seen with those expected, and their number with the provider's requests. It also runs the script once through the whole
 * package, and checks that no text of a call is posted or printed. Prompts, answers, tool arguments, errors and keys are all words that
 * begin with `CANARY`.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '@metergate/testkit/eventually.ts';
import { observe } from '../../src/observe/observe.ts';
import { tap } from '../../src/tap.ts';
import { startIngestionServer } from '../../src/test-support/ingestion-server.ts';
import { portrait } from './portrait.ts';
import { startFakeProvider } from './fake-provider.ts';
import type { FakeProvider } from './fake-provider.ts';
import type { SeenCall } from '../../src/seen-call.ts';

/** The call that the tap is expected to see; a latency is checked by its range. */
export type Expected = Partial<Omit<SeenCall, 'latency_ms'>>;

/** One step: what it does with the client, and which calls the tap must see. */
export interface Step<Client> {
  readonly name: string;
  readonly run: (client: Client, provider: FakeProvider) => unknown;
  readonly seen: readonly Expected[];
  /** These calls never reach the provider. */
  readonly unheard?: boolean;
}

/** A script for one version of one SDK. */
export interface Script<Client> {
  readonly name: string;
  readonly client: (url: string) => Client;
  readonly steps: readonly Step<Client>[];
}

/** A thrown error counts as a result. */
export async function outcomeOf(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    return { threw: error };
  }
}

/** Waits until everything that was started in this turn has run. */
export async function settled(done: () => boolean, turns = 2000): Promise<void> {
  for (let turn = 0; turn < turns && !done(); turn += 1) await new Promise((resolve) => { setImmediate(resolve); });
}

/** Does something once the provider has received the request that is being made. */
export function onceAsked(provider: FakeProvider, act: () => void): void {
  const before = provider.calls();
  void settled(() => provider.calls() > before, 100_000).then(act);
}

/** The least number of calls that the long script makes with one client. */
const callsOfLife = 200;

/** Registers the tests of a script: one for each step, and one in which a single client runs all of them again and again. */
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
        const { observed, seen } = observedClient(client(provider.url));
        const asked = provider.calls();
        const got = portrait(await outcomeOf(() => step.run(observed, provider)));
        assert.equal(got, expected);
        await settled(() => seen.length >= step.seen.length);
        assert.deepEqual(seen.map((call, index) => pick(call, step.seen[index] ?? call)), step.seen);
        for (const { latency_ms: latency } of seen) assert.ok(latency >= 0 && latency < 60_000, `latency ${latency}`);
        if (!step.unheard) assert.equal(seen.length, provider.calls() - asked, 'as many events as calls');
      });
    }

    test(`${callsOfLife} calls of one client, in changing order, one by one and five at once`, async () => {
      const life = lifeOf(steps);
      const outcomes = await live(life, client(provider.url), provider);
      const { observed, seen } = observedClient(client(provider.url));
      const got = await live(life, observed, provider);
      const expected = life.flat().flatMap((step) => step.seen);
      assert.ok(expected.length >= callsOfLife);
      for (const [index, step] of life.flat().entries()) assert.equal(got[index], outcomes[index], step.name);
      await settled(() => seen.length >= expected.length);
      assert.equal(seen.length, expected.length);
      assert.deepEqual(withoutMatches(seen, expected), []);
    });

    test('no text of a call is posted or printed', async () => {
      const told = steps.filter(({ seen }) => seen.length > 0);
      const { posted, printed } = await throughThePackage(told, client(provider.url), provider);
      assert.ok(posted.length > 0 && printed.length > 0);
      assert.doesNotMatch([...posted, ...printed].join('\n'), /CANARY/);
    });
  });
}

/** One client runs the steps and is tapped again before each: its events are posted and printed in turn. Gives all that went out. */
async function throughThePackage<Client extends object>(
  steps: readonly Step<Client>[], client: Client, provider: FakeProvider,
): Promise<{ readonly posted: readonly string[]; readonly printed: readonly string[] }> {
  const endpoint = await startIngestionServer();
  const printed: string[] = [];
  const streams = [process.stdout, process.stderr];
  const writes = streams.map(({ write }) => write);
  for (const stream of streams) stream.write = (text: unknown) => { printed.push(String(text)); return true; };
  try {
    const ways = [{ key: 'CANARY-tap-key', endpoint: endpoint.url, inspect: false }, { inspect: true }];
    for (const [at, step] of steps.entries()) await outcomeOf(() => step.run(tap(client, 'canary', ways[at % 2]), provider));
    // Without a known model there is no event that the server would take.
    const wanted = steps.flatMap(({ seen }) => seen).filter(({ model }) => model !== null).length;
    const out = (): number => endpoint.ids().length + printed.join('').split('"schema":').length - 1;
    await eventually(() => out() >= wanted, () => `${out()} of ${wanted} events are out`);
    assert.equal(out(), wanted);
  } finally {
    for (const [at, stream] of streams.entries()) stream.write = writes[at]!;
    endpoint.close();
  }
  const posted = endpoint.posts.map(({ headers: { authorization, ...headers }, ...post }) => {
    assert.equal(authorization, 'Bearer CANARY-tap-key');
    return JSON.stringify({ ...post, headers });
  });
  return { posted, printed };
}

function observedClient<Client extends object>(client: Client): { observed: Client; seen: SeenCall[] } {
  const seen: SeenCall[] = [];
  const shape = (): string => portrait({ keys: Object.keys(client), proto: Object.getPrototypeOf(client) });
  const before = shape();
  assert.equal(observe(client, (call) => seen.push(call)), true);
  assert.equal(shape(), before, 'the client shows other keys');
  return { observed: client, seen };
}

/**
 * The steps, in another order in each round, until they make enough calls: in the first round one by one, then five at once. Steps that
 * depend on what the provider receives run alone; those whose events wait for the garbage collector are left out.
 */
function lifeOf<Client>(all: readonly Step<Client>[]): readonly (readonly Step<Client>[])[] {
  const steps = all.filter(({ seen, unheard }) => seen.length > 0 || !unheard);
  const callsOfRound = steps.reduce((sum, { seen }) => sum + seen.length, 0);
  return Array.from({ length: Math.ceil(callsOfLife / callsOfRound) + 1 }, (_, round) => {
    const shuffled = steps.map((step, at) => ({ step, place: ((at + 1) * 7919 + round * 104_729) % 1_009 })).sort((a, b) => a.place - b.place);
    const groups: Step<Client>[][] = [];
    for (const { step } of shuffled) {
      const last = groups.at(-1);
      const alone = round === 0 || step.run.length > 1;
      if (!last || alone || last.length >= 5 || last[0]!.run.length > 1) groups.push([step]);
      else last.push(step);
    }
    return groups;
  }).flat();
}

/** What each step gave, in the order in which they ran. */
async function live<Client>(life: readonly (readonly Step<Client>[])[], client: Client, provider: FakeProvider): Promise<string[]> {
  const outcomes: string[] = [];
  for (const group of life) {
    const results = await Promise.all(group.map((step) => outcomeOf(() => step.run(client, provider))));
    outcomes.push(...results.map(portrait));
  }
  return outcomes;
}

/** What was expected and not seen; the most detailed expectations are matched first. */
function withoutMatches(seen: readonly SeenCall[], expected: readonly Expected[]): Expected[] {
  const left = [...seen];
  return [...expected].sort((a, b) => Object.keys(b).length - Object.keys(a).length).filter((wanted) => {
    const found = left.findIndex((call) => isDeepStrictEqual(pick(call, wanted), wanted));
    if (found >= 0) left.splice(found, 1);
    return found < 0;
  });
}

function pick(call: SeenCall, wanted: Expected): Expected {
  const steady = { ...call, request_id: call.request_id?.replace(/-\d+$/, '-N') ?? null };
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, steady[key as keyof typeof steady]]));
}
