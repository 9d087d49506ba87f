/**
 * A real Chromium, installed by npm, with the whole product and its sandbox provider: pages that note the browser's complaints, people of
 * every role signed in by the usual form, and axe.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getTestContext } from 'node:test';
import { pageClock, standAtNoon } from '@metergate/testkit/clock.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { despiteLateStore } from '@metergate/testkit/late-store.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser, type BrowserContext, type BrowserContextOptions, type Page, type Request } from 'playwright-core';

// Pages show the calls of an hour, a day or a month.
standAtNoon();

export const password = 'a password for the browser';
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** How long to wait for a page: a busy machine can be slow, and the test's own limit says what hangs. Milliseconds. */
const patienceMs = 120_000;

export interface Ground {
  readonly system: System;
  readonly browser: Browser;
  /** The browsers' complaints since it was last emptied: script errors, violations of the page's policy, lines of the console. */
  readonly complaints: string[];
  /** A page for somebody who is not signed in. */
  visitor(options?: BrowserContextOptions): Promise<Page>;
  /**
   * A page in a separate browser. Nobody is signed in there, and each call removes its cookies and settings and keeps only the cached files.
   * All tests of a file share this browser, because a new one costs as much as three pages: earlier visitors are gone.
   */
  stranger(): Promise<Page>;
  /** The owner of the default organization, made for it: their email. */
  owner(): Promise<string>;
  /** A page in which the person with this email is signed in. */
  person(email: string, options?: BrowserContextOptions): Promise<Page>;
  end(): Promise<void>;
}

export async function startGround(env: Readonly<Record<string, string>> = {}): Promise<Ground> {
  const system = await startSystem({ args: ['--sandbox'], connectProviders: false, env });
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(), headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const complaints: string[] = [];
  const signedIn = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>();
  const open = async (options: BrowserContextOptions, isKept = false): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 860 }, locale: 'en-US', timezoneId: 'Europe/Berlin', ...options });
    context.setDefaultTimeout(patienceMs);
    await context.addInitScript(pageClock());
    context.on('page', countRequests);
    // A kept connection may just be closed for having been idle: then it is asked again.
    const { request } = context;
    const ask = request.fetch.bind(request);
    request.fetch = (url, options) => ask(url, { maxRetries: 2, ...options });
    // Pages of a test that is over would go on asking and drawing beside the next ones. Those that a hook opens are there until the end of the file.
    const running = getTestContext();
    if (!isKept && running !== undefined && 'after' in running) running.after(() => context.close());
    const page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(`${page.url()} ${String(error)}`));
    page.on('console', (message) => { if (message.type() === 'error') complaints.push(`${page.url()} ${message.text()}`); });
    return page;
  };
  let strange: Page | null = null;
  return {
    system, browser, complaints,
    visitor: (options = {}) => open(options),
    async stranger() {
      if (strange === null) return (strange = await open({}, true));
      await strange.context().clearCookies();
      // The page of the plan's limits runs no script. What is kept is the product's, and is reached only from one of its pages.
      await strange.goto(`${system.platformUrl}/limits`);
      await strange.evaluate('localStorage.clear(); sessionStorage.clear()');
      await strange.emulateMedia({ colorScheme: null, reducedMotion: null });
      return strange;
    },
    async owner() {
      const email = 'ada@example.com';
      const made = await system.cli(['user', 'create', '--email', email, '--org', 'default', '--role', 'owner'], password);
      assert.equal(made.code, 0, made.stderr);
      return email;
    },
    async person(email, options = {}) {
      const state = signedIn.get(email);
      const page = await open({ ...options, ...(state === undefined ? {} : { storageState: state }) });
      if (state === undefined) {
        const answer = await page.request.post(`${system.platformUrl}/platform/v1/auth/sign-in/email`, { data: { email, password } });
        assert.equal(answer.status(), 200);
        signedIn.set(email, await page.context().storageState());
      }
      return page;
    },
    async end() {
      await browser.close();
      await system.stop();
    },
  };
}

/** Goes to an address and waits until no request is open and nothing is shown as loading. */
export async function openPage(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('main h1, h1').first().waitFor();
  await settled(page);
}

/**
 * Goes to an address of the product as a link in its pages does, and waits as `openPage` does. The document stays the same, which costs a
 * third of loading it again; the address must differ from the current one.
 */
export async function followTo(page: Page, url: string): Promise<void> {
  const { pathname, search } = new URL(url);
  assert.notEqual(page.url(), url, 'this address is open');
  // The handle that the router keeps for its own tools. It reports when the new page is shown.
  await page.evaluate(`new Promise((shown, fail) => {
    const done = __TSR_ROUTER__.subscribe('onRendered', () => { done(); shown(); });
    __TSR_ROUTER__.navigate({ href: ${JSON.stringify(pathname + search)} }).catch(fail);
  })`);
  await page.locator('main h1, h1').first().waitFor();
  await settled(page);
}

/** What each page has asked the platform for and has not received yet. */
const openRequests = new WeakMap<Page, Set<Request>>();

function countRequests(page: Page): void {
  const underWay = new Set<Request>();
  openRequests.set(page, underWay);
  let isLeaving = false;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isLeaving = true;
    else if (request.resourceType() === 'fetch') underWay.add(request);
  });
  page.on('requestfinished', (request) => underWay.delete(request));
  page.on('requestfailed', (request) => {
    underWay.delete(request);
    // A file that is saved: the document stays.
    if (request.isNavigationRequest()) isLeaving = false;
  });
  // A document that is left takes its requests with it. Those of the next one begin soon after this, long before its content is loaded.
  page.on('framenavigated', () => {
    if (isLeaving) underWay.clear();
    isLeaving = false;
  });
}

/** Waits until the page's thread has nothing to do and what it drew is shown: answers are drawn in pieces, with turns of the browser between. */
const drawn = `new Promise((shown) => requestIdleCallback(
  () => requestAnimationFrame(() => requestAnimationFrame(shown)), { timeout: 5000 }))`;

/**
 * Waits until the page has everything it requested and shows it. A row can be there before its money is: the two are requests of their own,
 * and only the list is shown as loading.
 */
export async function settled(page: Page): Promise<void> {
  const underWay = openRequests.get(page)!;
  const loading = page.locator('[aria-busy="true"]').first();
  do {
    await loading.waitFor({ state: 'hidden' });
    await eventually(() => underWay.size === 0, () => `never answered: ${[...underWay].map((request) => request.url()).join(' ')}`);
    await page.evaluate(drawn);
  } while (underWay.size > 0 || await loading.isVisible());
}

interface Found {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** Waits until everything that was just set in motion has come to rest. */
export const atRest = `${drawn}.then(() => {
  const moving = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
  return Promise.allSettled(moving.map(({ finished }) => finished));
}).then(() => undefined)`;

/** What axe finds wrong in light and in dark, one line each. In the second, only what depends on colors is looked at. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(atRest);
  const found = await axeHere(page);
  // A page of the server's alone has no scheme of its own to wait for.
  const scheme = await page.locator('html').getAttribute('data-mantine-color-scheme');
  const first = scheme === 'dark' ? 'dark' : 'light';
  const second = first === 'dark' ? 'light' : 'dark';
  const turn = async (colorScheme: typeof first): Promise<void> => {
    await page.emulateMedia({ colorScheme });
    if (scheme !== null) await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
    await page.evaluate(atRest);
  };
  await turn(second);
  found.push(...(await axeHere(page, colorRules)).map((line) => `${second}: ${line}`));
  await turn(first);
  return found;
}

/** What axe finds wrong as the page is, one line each: rule and place. `rules`: only these; default: all that axe enables by default. */
export async function axeHere(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!await page.evaluate<boolean>("typeof axe === 'object'")) await page.evaluate(axeSource);
  const only = rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } };
  // Of what axe loads beforehand, no rule that is on needs the style sheets: reading them takes a fifth of the time.
  const options = { resultTypes: ['violations'], preload: { assets: ['media'] }, ...only };
  const violations = await page.evaluate<readonly Found[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id} ${target.join(' ')} ${failureSummary.split('\n')[1] ?? ''}`));
}

/** The rules of axe whose result depends only on colours if the elements and their places are the same. */
export const colorRules = ['color-contrast', 'link-in-text-block'] as const;

/**
 * Everything on the page except its colours: every element with its markup, whether it is visible, and where. Decorative pictures (one is a sun
 * or a moon) and the attribute that Mantine sets for a moment after the window was resized are left out.
 */
export function shownOn(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const places = [...document.querySelectorAll('body *:not(svg[aria-hidden=true] *)')].map((each) => {
      if (!each.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return '-';
      const { x, y, width, height } = each.getBoundingClientRect();
      return [x, y, width, height].map(Math.round).join(' ');
    });
    const written = document.body.outerHTML
      .replaceAll(/<svg[^>]* aria-hidden="true"[^>]*>.*?<.svg>/gs, '<svg>').replaceAll(' data-resizing="true"', '');
    return written + places.join();
  })()`);
}

/** A call through the gateway, as a customer's client sends it. */
export function call(system: System, key: string, { model = 'gpt-5-mini', text = 'Say hello', headers = {} }: {
  readonly model?: string; readonly text?: string; readonly headers?: Readonly<Record<string, string>>;
} = {}): Promise<Response> {
  return despiteLateStore(() => fetch(`${system.gatewayUrl}/v1/chat/completions`, {
    method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: text }] }),
  }), ({ status }) => status === 503);
}

/** Polls until the condition holds: a changed setting takes effect within a second, on another thread. */
export async function untilTrue(check: () => Promise<boolean>): Promise<void> {
  await eventually(check, () => `never so: ${check}`);
}
