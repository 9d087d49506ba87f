/** A signal to `npm start` reaches the product: it drains, releases port and data directory, and ends with 0. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '@metergate/testkit/eventually.ts';
import { childrenOf } from '@metergate/testkit/process-tree.ts';
import { productEnv } from '@metergate/testkit/system.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function environmentFor(t: TestContext): NodeJS.ProcessEnv {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'metergate-npm-'));
  t.after(() => rmSync(dataDirectory, { recursive: true, force: true }));
  return productEnv({
    SVC_DATA_DIR: dataDirectory, SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0', SVC_GRACE_SECONDS: '2',
  });
}

test('SIGTERM to npm start ends what it started: port and data directory are free for the next start', { timeout: 180_000 }, async (t) => {
  const env = environmentFor(t);
  for (let start = 0; start < 2; start += 1) {
    const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const ready = Promise.withResolvers<string>();
    npm.stderr.setEncoding('utf8').on('data', (text: string) => { said += text; });
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const url = /^metergate ready gateway=(\S+)/m.exec(said)?.[1];
      if (url !== undefined) ready.resolve(url);
    });
    // The product shares the streams: they close when the last process that has them ends.
    const closed = once(npm, 'close');
    void closed.then(() => ready.reject(new Error(said)));
    const gatewayUrl = await ready.promise;
    assert.equal((await fetch(`${gatewayUrl}/v1/models`)).status, 401);
    npm.kill('SIGTERM');
    await closed;
    await assert.rejects(fetch(`${gatewayUrl}/v1/models`), 'nothing listens any more');
  }
});

/** Empty: it has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const elsewhere = process.platform !== 'linux';

test('Ctrl-C while the platform starts ends all of it, with 0 and without a word of a fault', { skip: elsewhere }, async (t) => {
  const env = environmentFor(t);
  // As it begins, and as it has taken its own name.
  for (const moment of [/platform-process/, /^metergate platform/]) {
    // In a group of its own, which gets the signal whole, as that of a terminal does.
    const product = spawn(process.execPath, ['packages/cli/bin/metergate.mjs', 'start'], {
      cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.after(() => product.kill('SIGKILL'));
    const pid = product.pid!;
    let said = '';
    for (const stream of [product.stdout, product.stderr]) stream.setEncoding('utf8').on('data', (text: string) => { said += text; });
    const closed = once(product, 'close');
    const platform = await eventually(() => childrenOf(pid).find((child) => moment.test(commandOf(child))));
    process.kill(-pid, 'SIGINT');
    assert.deepEqual(await closed, [0, null], said);
    assert.doesNotMatch(said, /fail|died|restarted|killed/);
    assert.throws(() => process.kill(platform, 0), { code: 'ESRCH' });
  }
});
