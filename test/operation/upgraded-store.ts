/** A store that another version made, for the trials of upgrades: its organization, made with that version's command, and its sums afterwards. */
import { setTimeout as pass } from 'node:timers/promises';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { figureIn, type UsageDimension, type UsageFigureName } from '@metergate/core/report/usage-sum.ts';
import { windowAt, calendarWindows } from '@metergate/core/spend/window.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { productEnv, runCli } from '@metergate/testkit/system.ts';

/** Runs `metergate ARGS` of one version. */
export type Commands = (args: readonly string[], stdin?: string) => Promise<Readonly<Record<string, unknown>>>;

/** An organization and its first key. */
export interface Upgraded {
  readonly id: string;
  readonly keyId: string;
  readonly key: string;
}

/** The commands of the version with that launcher, on a store. Without settings that an older version may not know. */
export function commandsOf(launcher: string, store: Readonly<Record<string, string>>): Commands {
  const { SVC_LOG_FORMAT: _unknown, ...env } = productEnv({ ...store, SVC_UPSTREAM_ALLOW: '127.0.0.0/8' });
  return async (args, stdin = '') => {
    const { code, stderr, json } = await runCli([...args, '--json'], env, stdin, launcher);
    if (code !== 0) throw new Error(`metergate ${args.join(' ')} ended with ${code}: ${stderr}`);
    return json() as Readonly<Record<string, unknown>>;
  };
}

/** As an operator of that version would make it. */
export async function organizationBy(commands: Commands, upstreamUrl: string): Promise<Upgraded> {
  const id = String((await commands(['org', 'create', 'upgraded', '--plan', 'enterprise']))['id']);
  await commands(['org', 'set', id, '--requests-per-minute', '100000000', '--tokens-per-minute', '10000000000']);
  await commands(['upstream', 'declare', '--org', id, '--url', upstreamUrl], 'credential-of-the-trial');
  await commands(['upstream', 'enable', '--org', id]);
  await commands(['cap', 'set', '--org', id, '--scope', 'organization', '--window', 'lifetime', '--limit', '1000000']);
  const { id: keyId, key } = await commands(['key', 'create', '--org', id]);
  return { id, keyId: String(keyId), key: String(key) };
}

/** Opens the store with this version. The caller must close it. */
export function openUpgraded(url: string, masterKey: Uint8Array): Promise<Store> {
  return openStore({ url, masterKey, clock: Date.now, randomBytes: () => new Uint8Array(0), create: false });
}

/** What a store holds of an organization. `differ`: sums, caps and runs that are not the sum of their records. */
export interface Held {
  readonly records: number;
  /** Calls that a killed process had opened. */
  readonly interrupted: number;
  readonly differ: readonly string[];
}

/** What it holds, with that many records: they are waited for, a minute at most. */
export async function heldOf(store: Store, { id, keyId }: Upgraded, served: number): Promise<Held> {
  const organization = id as never;
  const deadlineMs = performance.now() + 60_000;
  let records = await keptCalls(store, organization);
  while (records.length < served && performance.now() < deadlineMs) {
    await pass(100);
    records = await keptCalls(store, organization);
  }
  const differ: string[] = [];
  const compare = (what: string, found: bigint | undefined, of: typeof records): void => {
    const sum = of.reduce((total, { cost }) => total + (cost ?? 0n), 0n);
    if (found !== sum) differ.push(`${what} says ${found}, its records ${sum}`);
  };
  const nowMs = Date.now();
  const sums = (await store.spend.sumsOfAll([{ organization, key: keyId as never }], nowMs))[0]!;
  for (const window of calendarWindows) {
    const { startMs, endMs } = windowAt(window, nowMs);
    const within = records.filter(({ startedAtMs }) => startedAtMs >= startMs && (endMs === null || startedAtMs < endMs));
    compare(`the organization's ${window}`, sums.organization[window].spent, within);
    compare(`the key's ${window}`, sums.key[window].spent, within.filter(({ key }) => key === keyId));
  }
  compare('the cap', (await store.caps.list(organization, nowMs))[0]?.spent, records);
  const runs = await store.runs.list({ organization, limit: 1_000 });
  for (const { id: run, spent } of runs) compare(`the run ${run}`, spent, records.filter((each) => each.run === run));
  differ.push(...await reportsThatDiffer(store, organization, records));
  return { records: records.length, interrupted: records.filter(({ outcome }) => outcome === 'interrupted').length, differ };
}

/** Reports rest on separate sums, by what distinguishes calls. */
async function reportsThatDiffer(store: Store, organization: never, records: readonly CallRecord[]): Promise<readonly string[]> {
  const cost = records.reduce((total, record) => total + (record.cost ?? 0n), 0n);
  const dimensions: readonly UsageDimension[] = ['model', 'key', 'project', 'day', 'month', 'hour', 'wire', 'endpoint', 'run'];
  const differ: string[] = [];
  for (const by of [[], ...dimensions.map((each) => [each]), ['key', 'day'], ['model', 'hour']] as const) {
    const rows = (await store.usageReports.usage({ organization, by, rowsMax: 100_000 }))!;
    const total = (name: UsageFigureName): bigint => rows.reduce((sum, { figures }) => sum + figureIn(figures, name), 0n);
    const found = [total('calls'), total('cost')];
    const expected = [BigInt(records.length), cost];
    if (String(found) === String(expected)) continue;
    differ.push(`usage by ${by.join(', ')} says ${found.join(' and ')}, its records ${expected.join(' and ')}`);
  }
  const labels = (await store.usageReports.usage({ organization, by: ['label'], rowsMax: 100_000 }))!;
  for (const { subjects: [label], figures } of labels) {
    const of = records.filter(({ labels: own }) => label === '' ? own.length === 0 : own.includes(label!)).length;
    if (figureIn(figures, 'calls') !== BigInt(of)) differ.push(`usage of the label ${label} says ${figureIn(figures, 'calls')}, its records ${of}`);
  }
  return differ;
}
