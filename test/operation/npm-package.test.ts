/**
 * The package for npm, laid out below a `node_modules` as an installation is, where Node strips no types: it starts, serves its pages and
 * forwards a call. What npm itself does with the tarball is tried by hand (docs/operating/npm.md).
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { productEnv } from '@metergate/testkit/system.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What npm would install beside the package, as it lies in this workspace: not every package of it is hoisted. */
function linkInstalled(name: string, folder: string): void {
  const owners = [...readdirSync(join(root, 'packages')).map((each) => join(root, 'packages', each)), root];
  const places = owners.map((each) => join(each, 'node_modules', name));
  const link = join(folder, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(places.find((place) => existsSync(place)) ?? assert.fail(`${name} is not installed`), link);
}

test('the package runs by itself: ready, the dashboard\'s page and script, a metered call', { timeout: 120_000 }, async (t) => {
  mkdirSync(join(root, 'node_modules/.metergate-package'), { recursive: true });
  const folder = mkdtempSync(join(root, 'node_modules/.metergate-package/p-'));
  const dataDirectory = mkdtempSync(join(tmpdir(), 'metergate-package-'));
  t.after(() => {
    for (const each of [folder, dataDirectory]) rmSync(each, { recursive: true, force: true });
  });
  execFileSync(process.execPath, ['--no-warnings', join(root, 'scripts/npm-package.ts'), folder]);
  const files = readdirSync(join(folder, 'lib'), { recursive: true, encoding: 'utf8' });
  assert.deepEqual(files.filter((file) => /\.ts$|\.test\.|test-support/.test(file)), []);
  const { bin, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: Readonly<Record<string, string>>; dependencies: Readonly<Record<string, string>>;
  };
  assert.ok(Object.entries(dependencies).every(([name, version]) => !name.startsWith('@metergate/') && /^\d+\.\d+\.\d+/.test(version)));
  for (const name of Object.keys(dependencies)) linkInstalled(name, folder);

  const launcher = join(folder, bin['metergate']!);
  const env = productEnv({ SVC_DATA_DIR: dataDirectory, SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0' });
  const product = spawn(process.execPath, [launcher, 'start', '--sandbox'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [product.stdout, product.stderr]) stream.setEncoding('utf8').on('data', (text: string) => { said += text; });
  const closed = once(product, 'close');
  try {
    await new Promise<void>((resolve, reject) => {
      product.stdout.on('data', () => { if (said.includes('metergate ready')) resolve(); });
      void closed.then(() => reject(new Error(said)));
    });
    const [, gatewayUrl, platformUrl] = /ready gateway=(\S+) platform=(\S+)/.exec(said)!;
    const page = await (await fetch(platformUrl!)).text();
    const script = /src="([^"]+\.js)"/.exec(page)?.[1];
    assert.equal((await fetch(new URL(script!, platformUrl!))).status, 200);
    const made = execFileSync(process.execPath, [launcher, 'key', 'create', '--org', 'default', '--json'], { env, encoding: 'utf8' });
    const answer = await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST', body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }),
      headers: { authorization: `Bearer ${(JSON.parse(made) as { key: string }).key}` },
    });
    assert.equal(answer.status, 200);
  } finally {
    product.kill('SIGTERM');
    await closed;
  }
});
