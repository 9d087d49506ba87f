/** What the command listens to while it waits for its browser. Decision 196. */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { test } from 'node:test';
import { openLoopback } from './loopback.ts';

const code = 'c'.repeat(43);

/** The status of an answer. */
const asked = (port: number, query: string, headers: Readonly<Record<string, string>> = {}) => new Promise<number>((resolve, reject) => {
  get({ host: '127.0.0.1', port, path: `/?${query}`, headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode!);
  }).on('error', reject);
});

test('a code counts where a browser goes to the page, and not as a picture, a frame or a script of another page', async () => {
  const loopback = await openLoopback();
  try {
    const { port } = loopback;
    const brought = loopback.broughtFor('msi_1');
    for (const dest of ['image', 'iframe', 'empty', 'script']) {
      for (const query of [`id=msi_1&code=${'x'.repeat(43)}`, 'id=msi_1&refused=1']) {
        assert.equal(await asked(port, query, { 'sec-fetch-dest': dest }), 404, dest);
      }
    }
    assert.equal(await asked(port, `id=msi_2&code=${code}`), 404, 'another sign-in');
    assert.equal(await asked(port, `id=msi_1&code=${code}`, { host: `localhost:${port}` }), 404);
    assert.equal(await asked(port, `id=msi_1&code=${code}`, { 'sec-fetch-dest': 'document' }), 200);
    assert.equal(await brought, code);
  } finally {
    loopback.close();
  }
});

test('a browser that does not say what it asks for is one', async () => {
  const loopback = await openLoopback();
  try {
    const brought = loopback.broughtFor('msi_1');
    assert.equal(await asked(loopback.port, 'id=msi_1&refused=1'), 200);
    assert.equal(await brought, null);
  } finally {
    loopback.close();
  }
});
