/**
 * `node bench/reports.ts [--calls N] [--keys N] [--organizations N] [--postgres URL] [--quick] [--data DIR] [--export-days N] [--only WORD]`:
 * makes a store with `seed`, or takes that of a data directory, which must be of this version, then runs every report and list of its organization
 * `default`, and exports, of the last N days if `--export-days` is given. `--only`: the reports whose name holds the word, and no exports. `--data`
 * with `--postgres`: the master key is the directory's, the store is the database.
 * Prints the processor time and the wall time of the fastest of three, the rate of filling and of each export, and the memory they took. If a
 * report does not add up to the exports, the benchmark fails: exit code 1.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { figureIn, type UsageDimension } from '@metergate/core/report/usage-sum.ts';
import { monthAfter, monthOf } from '@metergate/core/time/utc-month.ts';
import { exportCalls, exportFormats } from '@metergate/platform/use-cases/exports.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { seedStore } from '@metergate/platform/use-cases/seed.ts';
import type { CallFilter } from '@metergate/store/calls/call-pages.ts';
import { openStore } from '@metergate/store/store.ts';

const { values } = parseArgs({ options: {
  calls: { type: 'string' }, keys: { type: 'string', default: '200' }, organizations: { type: 'string', default: '4' },
  postgres: { type: 'string' }, data: { type: 'string' }, quick: { type: 'boolean', default: false }, 'export-days': { type: 'string' },
  only: { type: 'string' },
} });
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const size = {
  organizations: Number(values.organizations), keys: Number(values.keys), calls: Number(values.calls ?? (values.quick ? '100000' : '10000000')),
};
const directory = mkdtempSync(join(tmpdir(), 'metergate-bench-reports-'));
const bytes = (n: number): Uint8Array => randomBytes(n);
const store = await openStore({
  url: values.postgres ?? `sqlite:${values.data === undefined ? join(directory, 'store.db') : join(values.data, 'metergate.db')}`,
  masterKey: values.data === undefined ? bytes(32) : Buffer.from(readFileSync(join(values.data, 'master.key'), 'utf8').trim(), 'base64'),
  // A store that is there already is only read: it may be of another version, and others' too.
  clock: Date.now, randomBytes: bytes, create: values.data === undefined,
});
const context = { store, randomBytes: bytes, nowMs: Date.now() };
try {
  if (values.data === undefined) await seed();
  const organization = await store.organizations.find('default');
  if (organization === null || 'refused' in organization) throw new Error('there is no organization default');
  await reports(organization.id);
  if (values.only === undefined) await exports(organization.id);
} finally {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
}

async function seed(): Promise<void> {
  const began = performance.now();
  const made = await seedStore(context, size, () => {});
  if (isRefusal(made)) throw new Error(made.refused.message);
  console.log(`${store.engine}: ${made.calls} calls of ${made.keys} keys, ${Math.round(made.calls / ((performance.now() - began) / 1000))} a second`);
}

type OrganizationId = Parameters<typeof store.callPages.page>[0]['organization'];

async function reports(organization: OrganizationId): Promise<void> {
  const usage = (query: object) => store.usageReports.usage({ organization, by: [], rowsMax: 100_000, ...query });
  const keys = (await usage({ by: ['key'] }))!;
  const key = keys[Math.floor(keys.length / 2)]!.subjects[0]!;
  const month = { sinceMs: monthOf(monthOf(context.nowMs) - 1), untilMs: monthAfter(monthOf(context.nowMs) - 1) };
  const times = [['month', month], ['all', {}], ['7d', { sinceMs: context.nowMs - 7 * dayMs }]] as const;
  const dimensions: readonly (readonly UsageDimension[])[] = [
    ['model'], ['key'], ['project'], ['label'], ['run'], ['day'], ['wire'], ['day', 'model'], ['day', 'key'], ['key', 'model'], ['label', 'model'],
  ];
  for (const by of dimensions) for (const [name, time] of times) await timed(`usage by ${by.join()} ${name}`, () => usage({ by, ...time }));
  const abroad = { sinceMs: month.sinceMs - 2 * hourMs, untilMs: month.untilMs - 2 * hourMs };
  const week = { sinceMs: Math.floor(context.nowMs / hourMs) * hourMs - 7 * dayMs };
  const production = { label: 'env:production' };
  const shaped: readonly (readonly [name: string, query: object])[] = [
    ['by hour 7d', { by: ['hour'], ...week }], ['by hour,model 7d', { by: ['hour', 'model'], ...week }],
    ['by hour,label 7d', { by: ['hour', 'label'], ...week }], ['by hour of a label 7d', { by: ['hour'], filter: production, ...week }],
    ['by project,label of a label', { by: ['project', 'label'], filter: production, ...month }],
    ['by day,label of a label', { by: ['day', 'label'], filter: production, ...month }],
    ['by project,model of a label', { by: ['project', 'model'], filter: production, ...month }],
    ['by project,label +02:00', { by: ['project', 'label'], ...abroad }], ['by label,model +02:00', { by: ['label', 'model'], ...abroad }],
    ['by key,label +02:00', { by: ['key', 'label'], ...abroad }], ['by key,model +02:00', { by: ['key', 'model'], ...abroad }],
    ['by project,label of a label +02:00', { by: ['project', 'label'], filter: production, ...abroad }],
    ['by day,label +02:00', { by: ['day', 'label'], ...abroad }], ['by run,model 7d', { by: ['run', 'model'], ...week }],
    ['by label,run 7d', { by: ['label', 'run'], ...week }], ['by session 7d', { by: ['session'], ...week }],
  ];
  for (const [name, query] of shaped) await timed(`usage ${name}`, () => usage(query));
  const filters: readonly CallFilter[] = [
    { key }, { model: 'gpt-5-mini' }, { label: 'env:production' }, { label: 'customer-150' }, { key, model: 'gpt-5' }, { outcome: 'failed' },
    { usage: 'unknown' }, { key, usage: 'unknown' }, {},
  ];
  for (const filter of filters) {
    const { outcome, usage: state, ...names } = filter;
    if (outcome === undefined && state === undefined) {
      await timed(`usage by day,model of ${JSON.stringify(names)}`, () => usage({ by: ['day', 'model'], filter: names, ...month }));
    }
    await timed(`calls of ${JSON.stringify(filter)}`, () => store.callPages.page({ organization, filter, limit: 100 }));
  }
  const [last] = (await store.callPages.page({ organization, limit: 1, untilMs: context.nowMs - 30 * dayMs }))!;
  await timed('one call by its id', async () => [await store.callPages.find(null, last!.id)]);
  await timed('one receipt by its id', async () => [await store.receipts.find(last!.id)]);
}

/** The fastest of three. */
async function timed(name: string, work: () => Promise<readonly unknown[] | null>): Promise<void> {
  if (!name.includes(values.only ?? '')) return;
  let [processorMs, wallMs, rows] = [Infinity, Infinity, 0];
  for (let round = 0; round < 3; round += 1) {
    const [cpu, wall] = [process.cpuUsage(), performance.now()];
    rows = (await work())?.length ?? -1;
    const used = process.cpuUsage(cpu);
    processorMs = Math.min(processorMs, (used.user + used.system) / 1_000);
    wallMs = Math.min(wallMs, performance.now() - wall);
  }
  const figures = [`${processorMs.toFixed(1)} ms of processor`, `${wallMs.toFixed(1)} ms`, `${rows} rows`];
  console.log(name.padEnd(56), ...figures.map((figure) => figure.padStart(22)));
}

async function exports(organization: OrganizationId): Promise<void> {
  const fromMs = values['export-days'] === undefined ? 0 : context.nowMs - Number(values['export-days']) * dayMs;
  const [used] = (await store.usageReports.usage({ organization, by: [], sinceMs: fromMs, untilMs: context.nowMs, rowsMax: 1 }))!;
  const total = figureIn(used!.figures, 'cost');
  for (const format of exportFormats) {
    const began = performance.now();
    const made = await exportCalls(context, { organization: 'default', format, fromMs, toMs: context.nowMs });
    if (isRefusal(made)) throw new Error(made.refused.message);
    let [calls, cost, size, memory] = [0, 0n, 0, 0];
    for await (const piece of made.pieces) {
      calls += piece.calls;
      cost += piece.cost;
      size += piece.bytes.length;
      memory = Math.max(memory, process.memoryUsage().rss);
    }
    const perSecond = Math.round(calls / ((performance.now() - began) / 1_000));
    const [written, most] = [size, memory].map((amount) => (amount / 1e6).toFixed(1));
    console.log(`export ${format.padEnd(8)} ${calls} calls, ${perSecond} a second, ${written} MB, ${most} MB of memory`);
    if (cost === total) continue;
    console.error(`export ${format} adds up to ${cost}, usage to ${total}`);
    process.exitCode = 1;
  }
}
