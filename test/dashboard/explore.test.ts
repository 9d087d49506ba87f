/**
 * In a real browser: explore with more rows than one answer has. Nothing is cut without a word: the chart has everything else, the table says how
 * many rows there are and shows all of them when asked, its foot and the saved file hold every call.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { eventuallyHolds } from '@metergate/testkit/eventually.ts';
import type { Page } from 'playwright-core';
import { axeFindings, call, openPage, settled, startGround, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;
const projects = 1_060;

/** A row of a table, as the page has it. */
interface ShownRow {
  readonly cells: Iterable<{ readonly dataset: { readonly head: string }; readonly textContent: string }>;
}

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;

  before(async () => {
    ground = await startGround();
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce' });
    const { key } = await ground.system.createKey();
    for (let made = 0; made < projects;) {
      const batch = Math.min(20, projects - made);
      await Promise.all(Array.from({ length: batch }, async (_, index) => {
        const name = `project-${String(made + index).padStart(4, '0')}`;
        assert.equal((await call(ground.system, key, { text: 'x'.repeat(made + index + 1), headers: { 'x-svc-project': name } })).status, 200);
      }));
      made += batch;
    }
    await ground.system.calls({ count: projects });
  });
  after(async () => {
    await ground?.end();
    assert.deepEqual(ground?.complaints, [], 'the browser complains of nothing');
  });

  test('the table says that it shows the costliest, the foot has all calls, and every row comes when asked for', async () => {
    await openPage(page, at('/explore?by=project'));
    await page.getByRole('heading', { name: 'The costliest 1,000 of 1,060 rows' }).waitFor();
    const { total } = await (await page.request.get(at('/platform/v1/usage?by=project&limit=1&total=true'))).json() as { total: { calls: number } };
    assert.equal(total.calls, projects);
    const file = /\/platform\/v1\/usage\/file/;
    await page.route(file, (route) => route.fulfill({ status: 503, json: { error: { code: 'busy', message: 'Too much at once.' } } }));
    await page.getByRole('button', { name: 'Show every row' }).click();
    await page.getByRole('alert').filter({ hasText: 'Too much at once.' }).waitFor();
    await page.unroute(file);
    ground.complaints.splice(0).forEach((line) => assert.match(line, /status of 503/));
    const foot = page.locator('tfoot tr');
    await foot.filter({ hasText: /All calls\s*\$[\d.]+1,060/ }).waitFor();
    await page.getByRole('button', { name: 'Show every row' }).click();
    await page.getByRole('heading', { name: '1,060 rows', exact: true }).waitFor();
    assert.ok(await page.locator('tbody tr').count() < 300, 'rows far from the screen are not in the document');
    await page.getByRole('button', { name: 'Project', exact: true }).click();
    // Any project may be among the largest too, which the list above the table shows.
    const row = (name: string) => page.getByRole('table', { name: 'Usage' }).getByRole('link', { name });
    await row('project-0000').waitFor();
    await foot.scrollIntoViewIfNeeded();
    await row('project-1059').waitFor();
    // What a browser does before and after it puts a page on paper.
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    assert.equal(await page.getByRole('table', { name: 'Usage' }).locator('tbody').getByRole('row').count(), projects, 'paper has every row');
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await eventuallyHolds(async () => assert.ok(await page.locator('tbody tr').count() < 300));
    assert.deepEqual(await axeFindings(page), []);
    // Of more rows than paper has, only those on the screen are there, and the place of the others.
    await page.evaluate(`document.querySelector('table.windowed tbody')
      .insertAdjacentHTML('beforeend', '<tr aria-hidden="true"><td>others</td></tr>')`);
    const others = page.locator('tbody tr', { hasText: /^others$/ });
    assert.equal(await others.isVisible(), true);
    await page.emulateMedia({ media: 'print', reducedMotion: 'reduce' });
    await eventuallyHolds(async () => assert.equal(await others.isVisible(), false, 'no blank sheets'));
    await page.emulateMedia({ media: 'screen', reducedMotion: 'reduce' });
  });

  test('two times stand side by side: what only one of them has is there, and the foot has both', async () => {
    // Calls of this test are all of this hour, so the page is given older ones. Done inside the page, as in the test of records that are gone.
    const script = await page.addInitScript(() => {
      const ask = globalThis.fetch;
      const row = (model: string, calls: number, cost: string) => ({
        model, calls, cost, inputTokens: 0, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, cacheSavings: null,
        unknownCalls: 0, unpricedCalls: 0, gapCalls: 0,
      });
      const now = [row('kept', 3, '3.000000000'), row('begun', 1, '1.000000000')];
      const before = [row('kept', 2, '2.000000000'), row('ended', 4, '4.000000000')];
      globalThis.fetch = async (...asked) => {
        const url = new URL((asked[0] as Request).url ?? asked[0], 'http://pages.example');
        if (!url.pathname.startsWith('/platform/v1/usage') || !/^(?:model|month)/.test(url.searchParams.get('by') ?? '')) return ask(...asked);
        const rows = url.searchParams.get('since')!.startsWith('2026-03-08') ? now : before;
        if (url.pathname.endsWith('/file')) return Response.json(rows);
        const total = { ...row('', 0, rows === now ? '4.000000000' : '6.000000000'), calls: rows === now ? 4 : 6, rows: rows.length };
        return Response.json({ data: rows, nextCursor: null, total });
      };
    });
    await openPage(page, at('/explore?by=model&beside=before&since=2026-03-08T00:00:00Z&until=2026-03-15T00:00:00Z'));
    await page.getByText(/^Mar 8.*UTC to Mar 15.*UTC, beside the 7 days before$/).waitFor();
    const table = page.getByRole('table', { name: 'Usage' });
    await table.getByRole('row', { name: 'ended' }).waitFor();
    await eventuallyHolds(async () => {
      const lines = (await table.locator('tbody tr, tfoot tr').allInnerTexts()).map((line) => line.replaceAll(/\s+/g, ' ').trim());
      assert.deepEqual(lines, [
        'kept $3.00 $2.00 +50% 3', 'begun $1.00 no calls new 1', 'ended $0 $4.00 −100% 0', 'All calls $4.00 $6.00 −33% 4',
      ]);
    });
    assert.deepEqual(await axeFindings(page), []);
    await script.dispose();
  });

  for (const rows of [3, 250]) {
    test(`a table of ${rows} rows has room for all figures on a screen of 1024 pixels, whatever the names are`, async () => {
      const script = await page.addInitScript((count) => {
        const ask = globalThis.fetch;
        const figures = {
          calls: 1_234, cost: '12345.678900000', inputTokens: 12_345_678, outputTokens: 9_999, cachedTokens: 999_900_000, cacheWriteTokens: 12_345,
          reasoningTokens: 88_800, cacheSavings: '1234.567800000', unknownCalls: 1_111, unpricedCalls: 1_111, gapCalls: 1_111,
        };
        const names = ['w'.repeat(120), '\u05e9\u05dc\u05d5\u05dd'.repeat(25), '\u{1f469}\u200d\u{1f467}'.repeat(40)];
        const name = (at: number): string => names[at % 3]! + at;
        const data = Array.from({ length: count }, (_, at) => ({ ...figures, project: name(at), label: name(at + 1) }));
        globalThis.fetch = async (...asked) => {
          const url = new URL((asked[0] as Request).url ?? asked[0], 'http://pages.example');
          if (url.pathname !== '/platform/v1/usage' || !url.searchParams.get('by')?.startsWith('project')) return ask(...asked);
          return Response.json({ data, nextCursor: null, total: { ...figures, rows: count }, largest: data.slice(0, 10) });
        };
      }, rows);
      await page.setViewportSize({ width: 1_024, height: 768 });
      await openPage(page, at('/explore?by=project&and=label'));
      const table = page.getByRole('region', { name: 'Usage' });
      await table.getByRole('columnheader', { name: 'Saved by caching' }).waitFor();
      const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('.data-table-frame, .data-table-frame .right')]
        .filter((each) => each.scrollWidth > each.clientWidth).map((each) => [each.className, each.scrollWidth, each.clientWidth].join(' '))`);
      assert.deepEqual(cut, []);
      assert.deepEqual(await axeFindings(page), []);
      await script.dispose();
      await page.setViewportSize({ width: 1_280, height: 860 });
    });
  }

  test('a bar leads to its calls', async () => {
    await openPage(page, at('/explore?by=project&metric=calls'));
    const bar = page.locator('section', { has: page.getByRole('heading', { name: 'Largest' }) }).getByRole('link').first();
    const name = await bar.innerText();
    await bar.click();
    await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('project'), name);
  });

  test('the page of projects has every project, however many answers that takes', async () => {
    await openPage(page, at('/projects'));
    await page.getByRole('button', { name: 'Project', exact: true }).click();
    await page.getByText('project-0000', { exact: true }).first().waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByText('project-1059', { exact: true }).first().waitFor();
  });

  test('the chart names the largest and puts everything else into one bar, so that the shares are of all calls', async () => {
    const asked: string[] = [];
    const note = (request: { url(): string }): void => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/platform/v1/usage') asked.push(searchParams.get('largestBy') ?? `${searchParams.get('order')} alone`);
    };
    page.on('request', note);
    await openPage(page, at('/explore?by=project&metric=calls'));
    const bars = page.locator('section', { has: page.getByRole('heading', { name: 'Largest' }) }).locator('li');
    await bars.nth(10).filter({ hasText: /everything else \(1,050\)\s*1,050\s*99%/ }).waitFor();
    assert.equal(await bars.count(), 11);
    assert.deepEqual(asked, ['calls'], 'the list and the chart come from one reading');
    const figure = page.getByRole('radiogroup', { name: 'Figure' });
    await figure.getByText('Tokens').click();
    await bars.nth(10).filter({ hasText: /everything else \(1,050\)\s*(?!1,050)\d/ }).waitFor();
    await figure.getByText('Calls').click();
    await bars.nth(10).filter({ hasText: /everything else \(1,050\)\s*1,050\s*99%/ }).waitFor();
    assert.deepEqual(asked, ['calls', 'tokens alone'], 'by another figure the chart alone is asked for, and the list stays');
    page.off('request', note);
  });

  test('over days the largest have their colours and everything else its own', async () => {
    await openPage(page, at('/explore?by=day&and=project&metric=calls'));
    await settled(page);
    const chart = page.getByRole('figure').or(page.locator('figure')).first();
    await chart.getByText('everything else').first().waitFor();
  });

  test('the saved file has every row', async () => {
    await openPage(page, at('/explore?by=project'));
    await page.getByRole('button', { name: 'Save as a file' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'CSV' }).click()]);
    assert.equal(readFileSync(await download.path(), 'utf8').trimEnd().split('\n').length, projects + 1);
    assert.match(download.suggestedFilename(), /^usage-by-project-.*\.csv$/);
  });

  test('rows are those of the question above them, however it is changed on an open page', async () => {
    const { key } = await ground.system.createKey();
    for (const model of ['gpt-5-mini', 'gpt-5-nano', 'gpt-4.1-mini']) assert.equal((await call(ground.system, key, { model })).status, 200);
    await ground.system.calls({ count: projects + 3 });
    const read = async <Row>(path: string): Promise<readonly Row[]> =>
      (await (await page.request.get(at(`/platform/v1/${path}`))).json() as { data: readonly Row[] }).data;
    const keys = await read<{ id: string; name: string | null; prefix: string }>('keys?limit=1000');
    const names = new Map(keys.map(({ id, name, prefix }) => [id, name ?? `${prefix}…`]));
    const table = page.getByRole('table', { name: 'Usage' });
    /** Each row's names and calls, of one moment. */
    const shown = async (): Promise<string[]> => {
      const rows = await table.locator('tbody tr').evaluateAll((all) => (all as unknown as readonly ShownRow[])
        .map(({ cells }) => Array.from(cells, ({ dataset, textContent }) => [dataset.head, textContent] as const)));
      return rows.map((cells) => cells.slice(0, cells.findIndex(([head]) => head === 'Cost')).concat(cells.filter(([head]) => head === 'Calls'))
        .map(([head, text]) => `${head}: ${text}`).join(', '));
    };
    const expected = async (...by: readonly string[]): Promise<string[]> => {
      const named = (row: Record<string, string | null>, name: string): string =>
        `${name.replace(/^./, (first) => first.toUpperCase())}: ${row[name] === null ? `without a ${name}` : (names.get(row[name]!) ?? row[name])}`;
      const rows = await read<Record<string, string | null>>(`usage?by=${by.join()}&limit=1000`);
      return rows.map((row) => [...by.map((name) => named(row, name)), `Calls: ${Number(row['calls']).toLocaleString('en-US')}`].join(', '));
    };
    const choose = async (field: string, choice: string): Promise<void> => {
      await page.getByLabel(field, { exact: true }).selectOption(choice);
    };
    await openPage(page, at('/explore?by=model'));
    await eventuallyHolds(async () => assert.deepEqual((await shown()).sort(), (await expected('model')).sort()));
    // While its answer is on its way, a question has no rows yet: those of the former one would stand under its head.
    const held = Promise.withResolvers<void>();
    await page.route(/\/platform\/v1\/usage\?by=key&/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await choose('By', 'Key');
    await page.locator('main [aria-busy="true"]').first().waitFor();
    assert.equal(await table.count(), 0);
    held.resolve();
    await settled(page);
    await eventuallyHolds(async () => assert.deepEqual((await shown()).sort(), (await expected('key')).sort()));
    for (const [field, choice, ...by] of [
      ['And by', 'Model', 'key', 'model'], ['By', 'Wire', 'wire', 'model'], ['And by', 'Key', 'wire', 'key'], ['By', 'Model', 'model', 'key'],
    ] as const) {
      await choose(field, choice);
      await settled(page);
      await eventuallyHolds(async () => assert.deepEqual((await shown()).sort(), (await expected(...by)).sort(), by.join()));
    }
    await page.unrouteAll();
  });
}
