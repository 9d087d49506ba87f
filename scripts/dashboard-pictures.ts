/**
 * `npm run dashboard:pictures`: every page of the dashboard at desktop and phone width, light and dark, one sheet for each combination, and
 * two pictures for the README. It starts a product with a seeded store and the sandbox provider, and writes to `docs/dashboard/`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser, type Page } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const launcher = join(root, 'packages/cli/bin/metergate.mjs');
const pages = [
  '/', '/explore?by=day&and=model', '/calls', '/calls?call=', '/refusals', '/runs', '/month', '/baseline', '/caps', '/caps?new=cap', '/alerts',
  '/projects', '/statement', '/exports', '/start', '/keys', '/providers', '/members', '/tokens', '/audit', '/nodes', '/settings',
];
const email = 'ada@example.com';
const password = 'a password for pictures';
const out = join(root, 'docs/dashboard');
const data = mkdtempSync(join(tmpdir(), 'metergate-pictures-'));
const env = { ...process.env, SVC_DATA_DIR: data, SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0' };

const command = (args: readonly string[], input = ''): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], { env, input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`metergate ${args.join(' ')}: ${stderr}`);
  return stdout;
};

command(['seed', '--organizations', '1', '--keys', '12', '--calls', '40000']);
const product = spawn(process.execPath, [launcher, 'start', '--sandbox'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
const [ready] = await once(product.stdout, 'data') as [Buffer];
const platformUrl = /platform=(\S+)/.exec(ready.toString('utf8'))![1]!;
const gatewayUrl = /gateway=(\S+)/.exec(ready.toString('utf8'))![1]!;
const browser = await playwright.launch({ executablePath: await chromium.executablePath(), headless: true, args: ['--no-sandbox', '--disable-gpu'] });
try {
  command(['user', 'create', '--email', email, '--org', 'default', '--role', 'owner'], password);
  for (const [limit, window] of [['900', 'month'], ['60', 'day']] as const) {
    command(['cap', 'set', '--org', 'default', '--scope', 'organization', '--window', window, '--limit', limit]);
  }
  const caps = JSON.parse(command(['cap', 'list', '--org', 'default', '--json'])) as readonly { readonly id: string }[];
  command(['alert', 'set', '--cap', caps[0]!.id, '--at', '50,80,100', '--org', 'default']);
  command(['webhook', 'create', '--org', 'default', '--url', 'https://hooks.acme.example/metergate']);
  await refuseSome();
  mkdirSync(out, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await sheet(browser, { name: `desktop-${colorScheme}`, colorScheme, width: 1_280, height: 860, columns: 4 });
    await sheet(browser, { name: `phone-${colorScheme}`, colorScheme, width: 375, height: 760, columns: 7 });
  }
} finally {
  await browser.close();
  product.kill('SIGTERM');
  await once(product, 'exit');
  rmSync(data, { recursive: true, force: true });
}

/** Calls that a cap of a key and a malformed header refuse, so that there are refusals to show. */
async function refuseSome(): Promise<void> {
  command(['org', 'set', 'default', '--enforce-key-caps', 'on']);
  const made = command(['key', 'create', '--org', 'default', '--name', 'nightly-evaluation', '--json']);
  const { id, key } = JSON.parse(made) as { readonly id: string; readonly key: string };
  command(['cap', 'set', '--org', 'default', '--scope', 'key', '--key', id, '--window', 'day', '--limit', '0.000001']);
  const send = async (headers: Readonly<Record<string, string>>): Promise<void> => {
    await (await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Say hello' }] }),
    })).arrayBuffer();
  };
  for (let calls = 0; calls < 60; calls += 1) await send(calls % 6 === 5 ? { 'x-svc-run-budget': '1.00' } : {});
  // Nodes send what they counted every two seconds.
  await new Promise((resolve) => { setTimeout(resolve, 5_000); });
}

interface Sheet {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
  readonly columns: number;
}

/** Each page once, small, side by side. */
async function sheet(from: Browser, { name, colorScheme, width, height, columns }: Sheet): Promise<void> {
  const context = await from.newContext({
    colorScheme, viewport: { width, height }, locale: 'en-US', timezoneId: 'Europe/Berlin', reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const pictures: string[] = [];
  await page.goto(`${platformUrl}/sign-in`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  pictures.push(await pictureOf(page));
  await page.request.post(`${platformUrl}/platform/v1/auth/sign-in/email`, { data: { email, password } });
  const newest = await (await page.request.get(`${platformUrl}/platform/v1/calls?limit=1&usage=reported`)).json() as { data: { id: string }[] };
  for (const path of pages) {
    await page.goto(platformUrl + (path.endsWith('call=') ? path + newest.data[0]!.id : path));
    await page.waitForLoadState('networkidle');
    await page.locator('main h1').first().waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' });
    if (path.endsWith('call=')) {
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('Verified in this browser').waitFor();
    }
    if (path.endsWith('new=cap')) {
      await page.getByLabel('Limit, US dollars').fill('40');
      await page.getByText('it would have refused').waitFor();
    }
    if (path === '/' || path.startsWith('/explore')) await page.locator('.uplot canvas').first().waitFor();
    pictures.push(await pictureOf(page));
    const known = name === 'desktop-light' && path === '/' ? 'overview.png' : name === 'desktop-dark' && path === '/calls' ? 'calls-dark.png' : null;
    if (known !== null) writeFileSync(join(out, known), await page.screenshot());
  }
  const shown = 1_560 / columns - 12;
  await page.setViewportSize({ width: 1_560, height: 400 });
  await page.goto('about:blank');
  await page.setContent(`<body style="margin:6px;background:${colorScheme === 'dark' ? '#333' : '#ddd'};display:flex;flex-wrap:wrap;gap:12px">
    ${pictures.map((picture) => `<img style="width:${shown}px" src="data:image/jpeg;base64,${picture}">`).join('')}</body>`);
  writeFileSync(join(out, `${name}.jpg`), await page.screenshot({ fullPage: true, type: 'jpeg', quality: 62 }));
  await context.close();
}

async function pictureOf(page: Page): Promise<string> {
  // What was just put there is shown with the next frames.
  await page.evaluate('new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))');
  return (await page.screenshot({ type: 'jpeg', quality: 80 })).toString('base64');
}
