/**
 * `node bench/pages.ts [--data DIR | --calls N] [--rounds N] [--only WORD] [--pages ADDRESS,…] [--phone] [--tasks]`: opens every page of the
 * dashboard in a real Chromium, on the store of a data directory or on one that `seed` makes (default 100,000 calls). It adds a user to the
 * directory, so give it a copy. The pages must have been built (`npm run build -w packages/dashboard`).
 *
 * One line a page, each figure the median of the rounds (default 3):
 * - ready: from the navigation, a new document each time, until the page has all it asked for and shows it;
 * - API: the same requests, sent together from here, until the last is answered, and how many times as long the page took;
 * - task: the longest task of the main thread, and the most processor time that one took in a further visit under Chromium's trace. The second
 *   hardly depends on what else the machine does. With `--tasks`, what each task did that took 30 ms of the processor;
 * - frames: how many a second while the page is scrolled with a wheel, if it is longer than the window, the longest wait for one, and how many a
 *   bare page with the rows of its table has in the same browser: more than that this machine does not show.
 * `RUN` in an address is a run that the store has. `--only`: the addresses that hold the word; `--pages`: exactly these, of the list or
 * not; `--phone`: a phone's window.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSystem } from '@metergate/testkit/system.ts';
import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser, type Page } from 'playwright-core';
import { scrolled, scrolledBare } from './page-scroll.ts';
import { tasksIn, type PageTask } from './page-tasks.ts';

const { values } = parseArgs({ options: {
  data: { type: 'string' }, calls: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '3' }, only: { type: 'string' },
  pages: { type: 'string' }, phone: { type: 'boolean', default: false }, tasks: { type: 'boolean', default: false },
} });
const addresses = values.pages?.split(',') ?? [
  '/', '/?by=model', '/?range=90d&by=label', '/explore', '/explore?by=label&range=90d', '/explore?by=label&and=day', '/explore?by=key&and=day',
  '/explore?by=key&and=label&range=90d&every', '/explore?by=person', '/calls', '/calls?live=on', '/calls?label=env:production', '/refusals', '/runs',
  '/runs?run=RUN',
  '/month', '/baseline', '/caps', '/alerts', '/projects', '/statement', '/exports', '/start', '/keys', '/keys?tab=all', '/connect', '/providers',
  '/members', '/tokens', '/audit', '/nodes', '/settings', '/settings?tab=you',
].filter((address) => address.includes(values.only ?? ''));
const email = 'bench@example.com';
const password = 'a password for the bench';

/** In every document: which requests are open, and how long tasks were. Kept in `bench`. */
const watching = `
  globalThis.bench = { open: 0, asked: [], tasks: [] };
  new PerformanceObserver((list) => bench.tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true });
  const asking = globalThis.fetch;
  globalThis.fetch = async (...given) => {
    const { url, method } = new Request(...given);
    bench.open += 1;
    if (method === 'GET') bench.asked.push(url);
    try { return await asking(...given); } finally { setTimeout(() => { bench.open -= 1; }); }
  };`;

/** Resolves with the milliseconds since the navigation when everything is there and a frame shows it. */
const readyMs = `new Promise((resolve) => {
  let since = null;
  const look = () => {
    // Panels of other tabs wait, hidden, until they are chosen.
    const isBusy = [...document.querySelectorAll('[aria-busy="true"]')].some((each) => each.checkVisibility());
    const is = bench.open === 0 && document.querySelector('main h1') !== null && !isBusy;
    since = is ? since ?? performance.now() : null;
    // Parts that come with the next frames ask for more.
    if (since !== null && performance.now() - since > 150) resolve(since); else requestAnimationFrame(look);
  };
  look();
})`;

const own = values.data === undefined ? mkdtempSync(join(tmpdir(), 'metergate-bench-pages-')) : null;
const directory = values.data ?? own!;
if (own !== null) seed(own);
const system = await startSystem({ dataDirectory: directory, connectProviders: false, publishedLimits: true });
const browser = await playwright.launch({ executablePath: await chromium.executablePath(), headless: true, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const made = await system.cli(['user', 'create', '--email', email, '--org', 'default', '--role', 'owner'], password);
  if (made.code !== 0 && !made.stderr.includes('already a user')) throw new Error(made.stderr);
  const page = await signedIn(browser);
  const heads = [['ready', 9], ['API', 9], ['ratio', 7], ['task', 8], ['its CPU', 8], ['frames', 28]] as const;
  console.log(['page'.padEnd(44), ...heads.map(([head, wide]) => head.padStart(wide))].join(' '));
  const run = await firstRun(page);
  for (const address of addresses) await measure(page, address.replace('RUN', run));
} finally {
  await browser.close();
  await system.stop();
  if (own !== null) rmSync(own, { recursive: true, force: true });
}

function seed(into: string): void {
  const launcher = new URL('../packages/cli/bin/metergate.mjs', import.meta.url).pathname;
  const args = [launcher, 'seed', '--organizations', '4', '--keys', '200', '--calls', values.calls];
  const { status, stderr } = spawnSync(process.execPath, args, { env: { ...process.env, SVC_DATA_DIR: into }, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

async function signedIn(from: Browser): Promise<Page> {
  const viewport = values.phone ? { width: 375, height: 760 } : { width: 1_280, height: 860 };
  const context = await from.newContext({ viewport, locale: 'en-US', timezoneId: 'Europe/Berlin' });
  context.setDefaultTimeout(120_000);
  await context.addInitScript(watching);
  const page = await context.newPage();
  const answer = await page.request.post(`${system.platformUrl}/platform/v1/auth/sign-in/email`, { data: { email, password } });
  if (!answer.ok()) throw new Error(`sign-in was answered ${answer.status()}`);
  await page.goto(system.platformUrl);
  await page.evaluate(readyMs);
  return page;
}

/** The newest run: the story of one. */
async function firstRun(page: Page): Promise<string> {
  const runs = await (await page.request.get(`${system.platformUrl}/platform/v1/runs?limit=1`)).json() as { data: { id: string }[] };
  return encodeURIComponent(runs.data[0]?.id ?? 'none');
}

interface Visit {
  readonly readyMs: number;
  readonly taskMs: number;
}

async function measure(page: Page, address: string): Promise<void> {
  await visit(page, address);
  const asked = [...new Set(await page.evaluate<string[]>('bench.asked'))];
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const [visits, answers]: [Visit[], number[]] = [[], []];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    answers.push(await answeredMs(asked, cookie));
    visits.push(await visit(page, address));
  }
  const tasks = await tasksIn(browser, page, () => visit(page, address));
  const ready = median(visits.map((each) => each.readyMs));
  const api = median(answers);
  const figures = [
    `${Math.round(ready)} ms`.padStart(9), `${Math.round(api)} ms`.padStart(9), (ready / api).toFixed(1).padStart(7),
    `${Math.round(median(visits.map((each) => each.taskMs)))} ms`.padStart(8), `${Math.round(tasks[0]?.processorMs ?? 0)} ms`.padStart(8),
    (await frames(page)).padStart(28),
  ];
  console.log([address.padEnd(44), ...figures].join(' '));
  if (values.tasks) for (const task of tasks.filter(({ processorMs }) => processorMs >= 30)) console.log(`  ${told(task)}`);
}

function told({ atMs, wallMs, processorMs, did }: PageTask): string {
  const work = did.map(([kind, took]) => `${kind} ${Math.round(took)}`).join(', ');
  return `${Math.round(processorMs)} ms of the processor in ${Math.round(wallMs)} ms, at ${Math.round(atMs)} ms: ${work}`;
}

/** `every` at the end of an address: the button that shows every row is pressed, and the page waited for again. */
async function visit(page: Page, address: string): Promise<Visit> {
  await page.goto('about:blank');
  await page.goto(system.platformUrl + address.replace(/&every$/, ''));
  let ready = await page.evaluate<number>(readyMs);
  if (address.endsWith('&every')) {
    const began = await page.evaluate<number>('performance.now()');
    await page.getByRole('button', { name: 'Show every row' }).click();
    ready = await page.evaluate<number>(readyMs) - began;
  }
  return { readyMs: ready, taskMs: Math.max(0, ...await page.evaluate<number[]>('bench.tasks')) };
}

async function answeredMs(asked: readonly string[], cookie: string): Promise<number> {
  const began = performance.now();
  await Promise.all(asked.map(async (url) => (await fetch(url, { headers: { cookie } })).arrayBuffer()));
  return performance.now() - began;
}

/** Frames a second, and the longest wait for one; then what a bare page with the same rows has. Empty: nothing to scroll. */
async function frames(page: Page): Promise<string> {
  const x = values.phone ? 180 : 600;
  const own = await scrolled(page, x);
  if (own === null) return '';
  const bare = await scrolledBare(page, x);
  const told = `${own.perSecond.toFixed(0)} a s, ${Math.round(own.longestMs)} ms`;
  return bare === null ? told : `${told}, bare ${bare.perSecond.toFixed(0)}`;
}

function median(of: readonly number[]): number {
  return of.toSorted((one, other) => one - other)[Math.floor(of.length / 2)]!;
}
