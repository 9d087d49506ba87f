/**
 * `kill -9` at any instant, of the writer and of recovery: every acknowledged opening has exactly one record, every
 * acknowledged closing is `completed` with its figures, nothing is there twice (promise 2).
 * Rounds: 10, or `METERGATE_KILL_ROUNDS`. The seed of a failing run is in its message: `METERGATE_KILL_SEED`.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { isRefusal } from '../engine/refusal.ts';
import { openStore } from '../store.ts';
import { createShipper } from './shipper.ts';
import { testDirectory } from './test-support/journal-fixture.ts';

const program = fileURLToPath(new URL('./test-support/killed-process.ts', import.meta.url));
const rounds = Number(process.env['METERGATE_KILL_ROUNDS'] ?? 10);
const seed = Number(process.env['METERGATE_KILL_SEED'] ?? randomInt(2 ** 31));

/** A small generator of numbers in [0, 1) from the seed (mulberry32). */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
let state = seed;

/** Runs the program, kills it `delayMs` after its first line (never: lets it end), and gives all whole lines it wrote. */
async function runKilled(mode: string, args: readonly string[], delayMs: number): Promise<string[]> {
  const child: ChildProcess = spawn(process.execPath, [program, mode, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    if (text === '') setTimeout(() => child.kill('SIGKILL'), delayMs);
    text += chunk.toString();
  });
  await new Promise((resolve) => child.on('close', resolve));
  return text.slice(0, text.lastIndexOf('\n') + 1).split('\n').slice(0, -1);
}

test(`kill -9: one record for each acknowledged call, never two, also when recovery is killed (seed ${seed})`, async (t) => {
  const home = testDirectory(t);
  const directory = join(home, 'journal');
  const url = `sqlite:${join(home, 'store.db')}`;
  const store = await openStore({ url, masterKey: new Uint8Array(32).fill(7), clock: Date.now, randomBytes, create: true });
  t.after(() => store.close());
  const organization = await store.organizations.create({ name: 'killed', plan: 'free' });
  assert.ok(!isRefusal(organization));
  const opened = new Set<string>();
  const closed = new Map<string, number>();
  let recoveriesKilled = 0;

  for (let round = 0; round < rounds; round += 1) {
    // In half of the rounds the journal is shipped from while it is written to, so that the kill meets half-shipped segments.
    const shipsTo = random() < 0.5 ? url : '';
    for (const line of await runKilled('write', [directory, shipsTo, organization.id], 20 + random() * 250)) {
      const [what, id, figure] = line.split(' ') as [string, string, string];
      if (what === 'opened') opened.add(id);
      else closed.set(id, Number(figure));
    }
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await runKilled('recover', [directory, url], random() * 30);
      recoveriesKilled += readdirSync(directory).some((name) => !name.includes('.new')) ? 1 : 0;
    }
    const last = createShipper({ directory, calls: store.calls, clock: () => performance.now() });
    await last.recover();
    last.close();
    assert.deepEqual(readdirSync(directory).filter((name) => !name.includes('.new')), []);
  }

  const records = await keptCalls(store, organization.id);
  const byId = new Map(records.map((record) => [record.id as string, record]));
  assert.equal(byId.size, records.length, 'a call has two records');
  assert.ok(opened.size > rounds * 50 && closed.size > rounds * 50, `the writer did too little: ${opened.size} ${closed.size}`);
  assert.deepEqual([...opened].filter((id) => !byId.has(id)), [], 'an acknowledged call has no record');
  for (const [id, figure] of closed) {
    const record = byId.get(id);
    assert.deepEqual([record?.outcome, record?.inputTokens, record?.cost], ['completed', figure, 9_007_199_254_740_993n + BigInt(figure)]);
  }
  const interrupted = records.filter(({ outcome }) => outcome === 'interrupted');
  assert.ok(interrupted.length > 0);
  assert.ok(interrupted.every(({ usage, usageReason, cost }) => usage === 'unknown' && usageReason === 'interrupted' && cost === null));
  t.diagnostic(`${records.length} records, ${interrupted.length} interrupted, ${recoveriesKilled} recoveries killed before their end`);
});
