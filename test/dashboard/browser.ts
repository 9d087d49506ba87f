/**
 * A real Chromium, as npm brings it, before the whole product with its sandbox provider: pages that note what the browser complains of,
 * persons of every role signed in by the same form as everybody, and axe.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';

export const password = 'a password for the browser';
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** How long a page is waited for: a busy machine takes its time, and the test's own limit says what hangs. Milliseconds. */
const patienceMs = 120_000;

export interface Ground {
  readonly system: System;
  readonly browser: Browser;
  /** What browsers complained of since it was last emptied: faults of scripts, refusals of the page's policy, lines of the console. */
  readonly complaints: string[];
  /** A page of somebody who is not signed in. */
  visitor(options?: BrowserContextOptions): Promise<Page>;
  /**
   * The page of another browser than everybody else's, in which nobody is signed in any more and no cookie or setting is kept, only the
   * files that were loaded. One for all tests of a file, for a new one costs as much as three pages: who was here before is gone.
   */
  stranger(): Promise<Page>;
  /** The owner of the default organization, made for it: their email. */
  owner(): Promise<string>;
  /** A page of a person with this email, who is signed in. */
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
  const open = async (options: BrowserContextOptions): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 860 }, locale: 'en-US', timezoneId: 'Europe/Berlin', ...options });
    context.setDefaultTimeout(patienceMs);
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
      if (strange === null) return (strange = await open({}));
      await strange.context().clearCookies();
      // The page of the plan's limits runs no script. What is kept is the product's, and is reached only from a page of its own.
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

/** Goes to an address and waits until nothing is asked for any more and nothing is shown as coming. */
export async function openPage(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('main h1, h1').first().waitFor();
  await settled(page);
}

/**
 * Goes to an address of the product as a link in its pages does, and waits as `openPage` does. The document stays the one it was, which costs
 * a third of loading it anew; the address must be another than the one that is open.
 */
export async function followTo(page: Page, url: string): Promise<void> {
  const { pathname, search } = new URL(url);
  assert.notEqual(page.url(), url, 'this address is open');
  // The handle that the router keeps for its own tools. It tells once the new page is what is shown.
  await page.evaluate(`new Promise((shown, fail) => {
    const done = __TSR_ROUTER__.subscribe('onRendered', () => { done(); shown(); });
    __TSR_ROUTER__.navigate({ href: ${JSON.stringify(pathname + search)} }).catch(fail);
  })`);
  await page.locator('main h1, h1').first().waitFor();
  await settled(page);
}

/** Until what the page asked for is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' });
}

interface Found {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** What axe finds wrong, one line each: rule and place. `rules`: only these; default: all that axe has on by itself. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!await page.evaluate<boolean>("typeof axe === 'object'")) await page.evaluate(axeSource);
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } }) };
  const violations = await page.evaluate<readonly Found[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id} ${target.join(' ')} ${failureSummary.split('\n')[1] ?? ''}`));
}

/** The rules of axe that look at colours, and at nothing else that two looks at the same elements in the same places could tell apart. */
export const colorRules = ['color-contrast', 'link-in-text-block'] as const;

/**
 * All that is on the page but its colours: every element as it is written, with whether it shows and where. Without the lines of pictures that
 * are only for the eye, of which one is a sun or a moon, and without the mark that Mantine sets for a moment when the window was resized.
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
  return fetch(`${system.gatewayUrl}/v1/chat/completions`, {
    method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: text }] }),
  });
}

/** Asks again until it is so: what changes a setting holds within a second, on its own thread. */
export async function untilTrue(check: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !await check();) {
    assert.ok(Date.now() < deadline, 'it did not come to be so');
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
}
