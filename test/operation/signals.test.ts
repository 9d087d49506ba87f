/** A signal to `npm start` reaches the product: it drains, releases port and data directory, and ends with 0. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { productEnv } from '@metergate/testkit/system.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('SIGTERM to npm start ends what it started: port and data directory are free for the next start', { timeout: 180_000 }, async (t) => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'metergate-npm-'));
  t.after(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const env = productEnv({
    SVC_DATA_DIR: dataDirectory, SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0', SVC_GRACE_SECONDS: '2',
  });
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
