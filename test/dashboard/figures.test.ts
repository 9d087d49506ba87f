/**
 * In a real browser: every figure on every page is one of the records. A figure stands in the document with all its digits beside what is shown of
 * it; this walks all pages, takes each figure with the names in its row, adds up the records that have these names, and compares.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { wordsOfAmount } from './shown-amounts.ts';
import type { Page } from 'playwright-core';
import { call, followTo, openPage, startGround, untilTrue, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;

interface CallFigures {
  readonly id: string; readonly startedAt: string; readonly model: string | null; readonly key: string; readonly project: string | null;
  readonly labels: readonly string[]; readonly run: string | null; readonly wire: string; readonly endpoint: string; readonly status: number;
  readonly cost: string | null; readonly costSource: string; readonly usage: string;
  readonly inputTokens: number | null; readonly outputTokens: number | null;
  readonly cachedTokens: number | null; readonly cacheWriteTokens: number | null; readonly reasoningTokens: number | null;
}

/** One figure on a page: what it is, what is shown of it, the words beside it, and the texts of its row. */
interface PageFigure {
  readonly value: string;
  readonly shown: string;
  readonly near: readonly string[];
  readonly row: readonly string[];
}

/** Every figure in sight, of the dialog if one is open, with its row: a row of a table, an item of a list, or the block of figures. */
const readFigures = `[...(document.querySelector('[role=dialog]') ?? document.querySelector('main')).querySelectorAll('data.figure')].map((each) => {
  const row = each.closest('tr, li, .stat') ?? each.parentElement.parentElement;
  const leaves = [...row.querySelectorAll('*')].filter((part) => part.children.length === 0).map((part) => part.textContent.trim());
  const whole = [...row.children].map((part) => part.textContent.trim());
  const cell = each.closest('td');
  const near = cell === null ? [...leaves, row.textContent] : [cell.dataset.head ?? '', cell.textContent];
  return { value: each.value, shown: each.textContent, near: near.filter((text) => text.length < 60),
    row: [...new Set([...leaves, ...whole, row.textContent.trim()])] };
})`;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  let records: readonly CallFigures[];
  const keyNames = new Map<string, string>();
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;
  const limits = ['900', '40', '0.5'];

  before(async () => {
    ground = await startGround();
    const keys: string[] = [];
    for (const name of ['worker-a', 'worker-b', 'notebook <b>']) {
      const made = (await ground.system.cli(['key', 'create', '--org', 'default', '--name', name, '--json'])).json() as { id: string; key: string };
      keyNames.set(name, made.id);
      keys.push(made.key);
    }
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce' });
    for (const key of keys) await untilTrue(async () => (await call(ground.system, key)).status === 200);
    for (let each = 0; each < 40; each += 1) {
      const run = each % 7 === 0 ? { 'x-svc-run-id': `night-${each % 3}`, 'x-svc-run-budget': '0.5' } : {};
      const answer = await call(ground.system, keys[each % 3]!, {
        model: ['gpt-4o', 'gpt-5-mini', 'o4-mini', 'nobody-priced-this'][each % 4]!,
        headers: {
          ...(each % 5 === 0 ? {} : { 'x-svc-project': ['search', 'billing "Q"'][each % 2]! }),
          ...(each % 4 === 1 ? {} : { 'x-svc-tags': ['team:core', 'env:dev,team:data'][each % 2]! }), ...run,
        },
      });
      assert.equal(answer.status, 200);
    }
    for (const [scope, window, limit] of [['organization', 'month', '900'], ['organization', 'day', '40']] as const) {
      assert.equal((await ground.system.cli(['cap', 'set', '--org', 'default', '--scope', scope, '--window', window, '--limit', limit])).code, 0);
    }
    await ground.system.calls({ count: 43 });
    records = ((await (await page.request.get(at('/platform/v1/calls?limit=1000'))).json()) as { data: CallFigures[] }).data;
    assert.equal(records.length, 43);
  });
  after(async () => { await ground?.end(); });

  /** Whether the call has this name in any dimension; null: it is no name of any call. */
  const names = (): ReadonlyMap<string, (record: CallFigures) => boolean> => {
    const of = new Map<string, (record: CallFigures) => boolean>();
    for (const record of records) {
      if (record.model !== null) of.set(record.model, ({ model }) => model === record.model);
      if (record.project !== null) of.set(record.project, ({ project }) => project === record.project);
      if (record.run !== null) of.set(record.run, ({ run }) => run === record.run);
      for (const label of record.labels) of.set(label, ({ labels }) => labels.includes(label));
      of.set(record.startedAt.slice(0, 10), ({ startedAt }) => startedAt.startsWith(record.startedAt.slice(0, 10)));
      of.set(record.id, ({ id }) => id === record.id);
    }
    for (const [name, id] of keyNames) of.set(name, ({ key }) => key === id);
    of.set('without a project', ({ project }) => project === null);
    of.set('without a label', ({ labels }) => labels.length === 0);
    of.set('without a run', ({ run }) => run === null);
    of.set('OpenAI', ({ wire }) => wire === 'openai');
    return of;
  };

  const nano = (amount: string | null): bigint => (amount === null ? 0n : BigInt(amount.replace('.', '')));

  /** Every figure that these calls have together. */
  function figuresOf(calls: readonly CallFigures[]): Set<number> {
    const sum = (of: (record: CallFigures) => number | null): number => calls.reduce((total, record) => total + (of(record) ?? 0), 0);
    return new Set([
      calls.length, Number(calls.reduce((total, { cost }) => total + nano(cost), 0n)) / 1e9, sum(({ inputTokens }) => inputTokens),
      sum(({ outputTokens }) => outputTokens), sum(({ cachedTokens }) => cachedTokens), sum(({ cacheWriteTokens }) => cacheWriteTokens),
      sum(({ reasoningTokens }) => reasoningTokens), calls.filter(({ usage }) => usage === 'unknown' || usage === 'partial').length,
      calls.filter(({ costSource }) => costSource === 'unpriced').length,
    ]);
  }

  const month = new Date().toISOString().slice(0, 7);
  const paths = [
    '/', '/?range=24h', '/?by=model', '/?model=gpt-4o', '/?project=search&range=24h', '/?key=KEY', '/explore?by=model', '/explore?by=project',
    '/explore?by=key', '/explore?by=label', '/explore?by=run', '/explore?by=day', '/explore?by=model&and=project', '/explore?by=key&and=day',
    '/explore?by=label&and=model', '/explore?by=model&metric=calls', '/calls', '/calls?model=o4-mini', '/runs', '/runs?run=night-0', '/projects',
    '/keys', '/caps', `/statement?month=${month}`, `/month?month=${month}`, '/exports', '/start',
  ];
  /** Nothing that calls add up to: a pace, a saving, what a run may still spend. */
  const apart = /Saved by caching|Caching saved|Headroom|a day|Left|may still spend|at most/;

  test('each figure on each page is what the records with the names of its row add up to', async () => {
    const known = names();
    const settings = new Set(limits.map(Number));
    let compared = 0;
    await openPage(page, at('/settings'));
    for (const path of paths.map((each) => each.replace('KEY', keyNames.get('worker-a')!))) {
      // By a link of the page, as they are read: every page is loaded by its address elsewhere.
      await followTo(page, at(path));
      const figures = await page.evaluate<PageFigure[]>(readFigures);
      const filter = [...new URL(at(path)).searchParams]
        .flatMap(([name, value]) => (/^(model|project|run)$/.test(name) ? (known.get(value) ?? []) : []));
      if (path.includes('key=key')) filter.push(known.get('worker-a')!);
      for (const { value, shown, near, row } of figures) {
        if (near.some((text) => apart.test(text))) continue;
        const named = row.flatMap((text) => text.split(' · ')).flatMap((text) => known.get(text) ?? []);
        const calls = records.filter((record) => [...filter, ...named].every((fits) => fits(record)));
        // A list of calls has one call in a row: its place is not a name, so any call that has the names of the row may be it.
        const single = /^.(calls|start)/.test(path) ? calls.some((record) => figuresOf([record]).has(Number(value))) : false;
        assert.ok(figuresOf(calls).has(Number(value)) || settings.has(Number(value)) || single,
          `${path}: ${value}, shown as ${shown}, in the row ${row.join(' | ')}`);
        if (value.includes('.')) assert.equal(shown, wordsOfAmount(value), `${path}: what is shown of ${value}`);
        compared += 1;
      }
    }
    assert.ok(compared > 250, `${compared} figures were compared`);
  });
}
