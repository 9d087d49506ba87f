/**
 * The journal's disk full, unwritable, damaged, or older than the store (reliability F5, F9, F12): nothing is ever forwarded
 * unrecorded, the product recovers without a restart if it can, and otherwise says what to do.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall, requestBytes, type RawAnswer } from '@metergate/testkit/raw-client.ts';
import { gate, type ReceivedRequest, type Script } from '@metergate/testkit/scripted-provider.ts';
import { startSystem, type System, type SystemOptions } from '@metergate/testkit/system.ts';
import { testPostgres } from '@metergate/testkit/postgres.ts';
import { bearer } from '../running-product.ts';
import { assertEnvelope } from '../hostile/aftermath.ts';
import { answerHeaders, answerPieces, requestedCall, bodyOf, connectionOf, heldBack, kinds } from './metered-load.ts';

let lastNumber = 0;

interface UseCaseContext {
  system: System;
  readonly key: string;
  /** Numbers of calls that the provider saw, and of calls whose answer came whole. */
  readonly seen: number[];
  readonly delivered: number[];
  call(): Promise<RawAnswer>;
}

async function context(t: TestContext, options: SystemOptions): Promise<UseCaseContext> {
  const system = await startSystem(options);
  const { key } = await system.createKey();
  const seen: number[] = [];
  const delivered: number[] = [];
  const respond = (request: ReceivedRequest): Script => {
    const { number, kind } = requestedCall(request);
    seen.push(number);
    return { headers: answerHeaders(kind), body: answerPieces(kind, number) };
  };
  system.openai.respond(respond);
  system.anthropic.respond(respond);
  const held: UseCaseContext = {
    system, key, seen, delivered,
    async call() {
      const number = ++lastNumber;
      const kind = kinds[number % kinds.length]!;
      const headers = [bearer(key), ['x-svc-project', `disk-${number}`]] as const;
      const answer = await rawCall(held.system.gatewayUrl, { target: kind.target, headers, body: bodyOf(kind, number) });
      if (answer.status === 200 && answer.whole) delivered.push(number);
      return answer;
    },
  };
  t.after(async () => { await held.system.stop(); });
  return held;
}

/** Calls until the answer has this status. */
async function callsUntil({ call }: UseCaseContext, status: number): Promise<RawAnswer> {
  // Without a pause: it is the calls that fill what is left.
  for (const untilMs = performance.now() + 60_000; ;) {
    const answer = await call();
    if (answer.status === status) return answer;
    assert.ok([200, 500].includes(answer.status), answer.body.toString());
    assert.ok(performance.now() < untilMs, `no ${status} within a minute`);
  }
}

/** Once all are shipped, every call a provider saw has one record, and every delivered one has its figure. */
async function assertRecorded({ system, seen, delivered }: UseCaseContext): Promise<void> {
  await eventually(async () => {
    const records = (await system.calls({ count: 0 })).filter(({ project }) => project?.startsWith('disk-') === true);
    const numbers = records.map(({ project }) => Number(project?.slice('disk-'.length)));
    if (!seen.every((number) => numbers.includes(number))) return false;
    assert.equal(new Set(numbers).size, numbers.length, 'a call has two records');
    assert.equal(new Set(seen).size, seen.length, 'a call was sent twice');
    for (const record of records) {
      const number = Number(record.project?.slice('disk-'.length));
      if (delivered.includes(number)) assert.deepEqual([record.outcome, record.inputTokens], ['completed', number]);
    }
    return true;
  }, () => `${seen.length} calls were forwarded, and not all are recorded\n${system.stderr()}`);
}

/** A stream that is open while `harm` is done and ends afterwards: its caller gets all of it. */
async function streamAcross(given: UseCaseContext, harm: () => Promise<void>): Promise<void> {
  const { system, key, delivered, seen } = given;
  const { opened, open } = gate();
  const number = ++lastNumber;
  const kind = kinds[3]!;
  system.anthropic.respond((request) => {
    const asked = requestedCall(request);
    seen.push(asked.number);
    const pieces = answerPieces(asked.kind, asked.number);
    return { headers: answerHeaders(asked.kind), body: asked.number === number ? heldBack(pieces, opened) : pieces };
  });
  const connection = await connectionOf(system);
  const headers: HeaderPair[] = [bearer(key), ['x-svc-project', `disk-${number}`]];
  connection.send(requestBytes({ target: kind.target, headers, body: bodyOf(kind, number) }, 'x'));
  await connection.received(answerPieces(kind, number).slice(0, -1).join('').length);
  await harm();
  open();
  const answer = await connection.nextAnswer();
  assert.deepEqual([answer.whole, answer.body.toString()], [true, answerPieces(kind, number).join('')]);
  delivered.push(number);
}

async function readyBecomes(opsUrl: string, status: number, words: RegExp): Promise<void> {
  let said = '';
  await eventually(async () => {
    const answer = await fetch(`${opsUrl}/readyz`);
    said = await answer.text();
    return answer.status === status;
  }, () => `/readyz never becomes ${status}: ${said}`);
  assert.match(said, words);
}

/** What must hold from the moment nothing can be written until writing works again, without a restart. */
async function assertSurvives(given: UseCaseContext, harm: () => void, mend: () => void): Promise<void> {
  for (let count = 0; count < 8; count += 1) assert.equal((await given.call()).status, 200);
  await streamAcross(given, async () => {
    harm();
    await callsUntil(given, 500);
    for (let count = 0; count < 20; count += 1) {
      const before = given.seen.length;
      const answer = await given.call();
      // A reused segment may still have room for a row or two; what is forwarded then is recorded like any other call.
      if (answer.status === 200) continue;
      assertEnvelope(answer, 500, 'internal_error');
      assert.equal(given.seen.length, before, 'a call was forwarded that could not be recorded');
    }
  });
  const { opsUrl } = given.system;
  await readyBecomes(opsUrl, 503, /^not ready\njournal: The journal in .* cannot be written: .*Make room/);
  await given.system.says(/The journal in .* cannot be written: .*Make room on that disk/);
  mend();
  // Recovery needs no call: a proxy sends none to a node that is not ready.
  await readyBecomes(opsUrl, 200, /^ready\n$/);
  await callsUntil(given, 200);
  for (let count = 0; count < 8; count += 1) assert.equal((await given.call()).status, 200);
  await assertRecorded(given);
}

test('files that cannot grow: nothing is forwarded, open streams end whole, and it recovers without a restart (F5)', async (t) => {
  // The kernel's limit on file sizes: the product sees a failed write, on every file system and as any user.
  if (process.platform !== 'linux') return void t.diagnostic('limits of a running process can be set on Linux alone; the full disk is held there');
  const given = await context(t, {});
  const limit = (bytes: string): void => void execFileSync('prlimit', ['--pid', String(given.system.pid), `--fsize=${bytes}:unlimited`]);
  await assertSurvives(given, () => limit('4096'), () => limit('unlimited'));
});

test('files that cannot grow until the end: the stop is orderly, and the log says how many calls will be recorded as interrupted', async (t) => {
  if (process.platform !== 'linux') return void t.diagnostic('limits of a running process can be set on Linux alone');
  const given = await context(t, {});
  const limit = (bytes: string): void => void execFileSync('prlimit', ['--pid', String(given.system.pid), `--fsize=${bytes}:unlimited`]);
  await streamAcross(given, async () => {
    limit('4096');
    await callsUntil(given, 500);
  });
  assert.equal(await given.system.stop(), 0);
  assert.match(given.system.stderr(), /One call ended and could not be written to the journal; it will be recorded as interrupted\./);
  assert.doesNotMatch(given.system.stderr(), /thread (broke|ended)/);
});

test('a full disk: nothing is forwarded, open streams end whole, and it recovers without a restart once there is room (F5)', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-small-'));
  const mounted = process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=0700', 'tmpfs', directory]).status === 0;
  t.after(() => {
    if (mounted) execFileSync('umount', ['-l', directory]);
    rmSync(directory, { recursive: true, force: true });
  });
  if (!mounted) return void t.diagnostic('this user may not mount a small file system; the limit on file sizes stands in for it above');
  const given = await context(t, { dataDirectory: join(directory, 'data') });
  const filler = join(directory, 'filler');
  await assertSurvives(given, () => {
    // dd ends with an error when nothing more fits, which is the purpose here.
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096']);
  }, () => rmSync(filler));
});

test('a read-only journal directory, and a second start on it: the running product continues; the start refuses and names it', async (t) => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'metergate-ro-'));
  const given = await context(t, { dataDirectory });
  const journal = join(dataDirectory, 'journal');
  t.after(() => {
    chmodSync(journal, 0o700);
    rmSync(dataDirectory, { recursive: true, force: true });
  });
  await assert.rejects(startSystem({ dataDirectory }), (error: Error) => error.message.includes(dataDirectory));
  assert.equal((await given.call()).status, 200);
  chmodSync(journal, 0o500);
  for (let count = 0; count < 8; count += 1) assert.equal((await given.call()).status, 200);
  await assertRecorded(given);
  await given.system.kill9();
  // Permissions do not bind root: it can still write.
  if (process.getuid?.() === 0) given.system = await given.system.restart();
  else await assert.rejects(given.system.restart(), (error: Error) => error.message.includes(journal));
  chmodSync(journal, 0o700);
  if (process.getuid?.() !== 0) given.system = await given.system.restart();
  assert.equal((await given.call()).status, 200);
  await assertRecorded(given);
});

/** The size of a segment's head, which is synced before the segment is used. */
const headBytes = 512;

/** The largest segment of the journal. */
function journalFile(dataDirectory: string): string {
  const directory = join(dataDirectory, 'journal');
  const files = readdirSync(directory).filter((name) => name.endsWith('.log')).map((name) => join(directory, name));
  return files.sort((a, b) => statSync(b).size - statSync(a).size)[0] ?? assert.fail('no segment in the journal');
}

test('a journal that lost its tail starts, counts nothing twice and loses no call that it still has (F9)', async (t) => {
  const given = await context(t, {});
  for (const cutBytes of [1, 9_000]) {
    for (let count = 0; count < 12; count += 1) assert.equal((await given.call()).status, 200);
    await assertRecorded(given);
    await given.system.kill9();
    const segment = journalFile(given.system.dataDirectory);
    truncateSync(segment, Math.max(headBytes, statSync(segment).size - cutBytes));
    given.system = await given.system.restart();
    // Everything was shipped before the damage, so all of it is still there, once.
    await assertRecorded(given);
  }
});

test('a journal segment that is damaged stops the start with its name; moved away, the product starts and serves (F9)', async (t) => {
  const given = await context(t, {});
  assert.equal((await given.call()).status, 200);
  await assertRecorded(given);
  await given.system.kill9();
  const segment = journalFile(given.system.dataDirectory);
  const moved = mkdtempSync(join(tmpdir(), 'metergate-moved-'));
  t.after(() => rmSync(moved, { recursive: true, force: true }));
  writeFileSync(segment, 'x'.repeat(statSync(segment).size));
  await assert.rejects(given.system.restart(), (error: Error) => error.message.includes(segment) && !/\n\s+at /.test(error.message));
  renameSync(segment, join(moved, 'segment'));
  given.system = await given.system.restart();
  assert.equal((await given.call()).status, 200);
  await assertRecorded(given);
});

test('a data directory restored from an older copy, with a newer store: each call keeps its one record (F12)', async (t) => {
  const postgres = await testPostgres();
  t.after(() => postgres.stop());
  const dataDirectory = mkdtempSync(join(tmpdir(), 'metergate-older-'));
  const copy = `${dataDirectory}-copy`;
  t.after(() => {
    for (const each of [dataDirectory, copy]) rmSync(each, { recursive: true, force: true });
  });
  const env = { SVC_DATABASE_URL: await postgres.createDatabase(), SVC_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
  const given = await context(t, { dataDirectory, env });
  for (let count = 0; count < 6; count += 1) assert.equal((await given.call()).status, 200);
  await streamAcross(given, async () => {
    // The copy is made while a call is open: it has the opening and will never have the closing.
    mkdirSync(copy);
    cpSync(dataDirectory, copy, { recursive: true });
    for (let count = 0; count < 6; count += 1) assert.equal((await given.call()).status, 200);
  });
  await assertRecorded(given);
  await given.system.kill9();
  rmSync(dataDirectory, { recursive: true });
  renameSync(copy, dataDirectory);
  given.system = await given.system.restart();
  for (let count = 0; count < 4; count += 1) assert.equal((await given.call()).status, 200);
  await assertRecorded(given);
});
