/**
 * The resolver of names that organizations chose: with a played process and clock, and with the real process. What the real one does beside the
 * product's own work is in `test/hostile/slow-names.test.ts`.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mock, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '@metergate/testkit/eventually.ts';
import { nameDeadlineMs, placesOfOrganization } from './name-places.ts';
import { namesThrough, portOf } from './name-port.ts';
import { createNameResolver, type NameResolver } from './name-resolver.ts';
import type { NameProcess, NameProcessEvents, StartNameProcess } from './start-name-process.ts';

const here: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];

interface Played { readonly asked: { readonly id: number; readonly hostname: string }[]; readonly events: NameProcessEvents; killed: boolean }

/** A resolver whose processes and clock the test plays. */
function played() {
  mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 0;
  const processes: Played[] = [];
  const said: string[] = [];
  const start: StartNameProcess = (events) => {
    const process: Played = { asked: [], events, killed: false };
    processes.push(process);
    return { ask: (id, hostname) => process.asked.push({ id, hostname }), kill: () => { process.killed = true; } } satisfies NameProcess;
  };
  const resolver = createNameResolver({ monotonicMs: () => nowMs, say: (sentence) => said.push(sentence), start });
  return {
    resolver, processes, said,
    pass(ms: number) {
      for (const end = nowMs + ms; nowMs < end;) {
        nowMs += 250;
        mock.timers.tick(250);
      }
    },
    nowMs: () => nowMs,
    end() {
      resolver.close();
      mock.timers.reset();
    },
  };
}

function answers(resolver: NameResolver, organization: string, hostname: string): (readonly LookupAddress[] | null)[] {
  const got: (readonly LookupAddress[] | null)[] = [];
  resolver.resolve({ organization, hostname }, (addresses) => got.push(addresses));
  return got;
}

test('the process is started with the first name, asked, and ended after five minutes without one', () => {
  const { resolver, processes, pass, end } = played();
  assert.equal(processes.length, 0);
  const got = answers(resolver, 'one', 'a.example');
  const [{ id, hostname }] = processes[0]!.asked as [Played['asked'][0]];
  assert.equal(hostname, 'a.example');
  processes[0]!.events.answered(id, here);
  processes[0]!.events.answered(id, []);
  assert.deepEqual(got, [here]);
  pass(299_750);
  assert.equal(processes[0]!.killed, false);
  pass(250);
  assert.equal(processes[0]!.killed, true);
  answers(resolver, 'one', 'b.example');
  assert.equal(processes.length, 2);
  end();
});

test('a name that does not resolve in time is answered as failed, and a later answer is ignored', () => {
  const { resolver, processes, pass, end } = played();
  const got = answers(resolver, 'one', 'slow.example');
  pass(nameDeadlineMs);
  assert.deepEqual(got, [null]);
  processes[0]!.events.answered(processes[0]!.asked[0]!.id, here);
  assert.deepEqual(got, [null]);
  end();
});

test('a process that ends is started again, at most once a second, and asked again what somebody waits for', () => {
  const { resolver, processes, said, pass, end } = played();
  const got = answers(resolver, 'one', 'a.example');
  pass(250);
  processes[0]!.events.ended('it ended (SIGKILL)');
  assert.equal(processes.length, 1);
  pass(750);
  assert.deepEqual([processes.length, processes[1]!.asked.length, said.length], [2, 1, 1]);
  assert.match(said[0]!, /is started again: it ended \(SIGKILL\)/);
  processes[1]!.events.ended('it ended (SIGKILL)');
  assert.deepEqual(got, [null], 'a name that ended two processes is not tried a third time');
  end();
});

test('a process that cannot be started refuses names in time, says so, and is tried again', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 0;
  let starts = 0;
  const said: string[] = [];
  const resolver = createNameResolver({
    monotonicMs: () => nowMs, say: (sentence) => said.push(sentence),
    start: () => {
      starts += 1;
      throw Object.assign(new Error('fork'), { code: 'EAGAIN' });
    },
  });
  const got = answers(resolver, 'one', 'a.example');
  for (; nowMs < nameDeadlineMs; mock.timers.tick(250)) nowMs += 250;
  assert.deepEqual([got, starts, said[0]], [[null], 5, 'The process that resolves names of upstreams and webhooks cannot be started (EAGAIN).']);
  resolver.close();
  mock.timers.reset();
});

test('a hundred organizations whose names never resolve do not keep those of another from resolving within four seconds', () => {
  const { resolver, processes, pass, nowMs, end } = played();
  const waited: number[] = [];
  let refused = 0;
  const resolveHonest = (): void => {
    for (const { asked, events } of processes.slice(-1)) {
      for (const { id, hostname } of asked.splice(0)) if (hostname === 'honest.example') events.answered(id, here);
    }
  };
  for (let round = 0; round < 240; round += 1) {
    for (let attacker = 0; attacker < 100; attacker += 1) {
      for (let name = 0; name < 2 * placesOfOrganization; name += 1) {
        resolver.resolve({ organization: `slow-${attacker}`, hostname: 'slow.example' }, () => {});
      }
    }
    const askedMs = nowMs();
    resolver.resolve({ organization: 'honest', hostname: 'honest.example' }, (addresses) => {
      waited.push(nowMs() - askedMs);
      if (addresses === null) refused += 1;
    });
    resolveHonest();
    pass(250);
    resolveHonest();
  }
  pass(5_000);
  resolveHonest();
  assert.deepEqual([waited.length, refused], [240, 0]);
  assert.ok(Math.max(...waited) <= 4_000, `one waited for ${Math.max(...waited)} ms`);
  assert.ok(processes.length > 1, 'processes were replaced');
  end();
});

test('connections that wait for one name of an organization share its question; a new one asks again, and so does another organization', async () => {
  const questions: { organization: string; hostname: string; answer: (addresses: readonly LookupAddress[] | null) => void }[] = [];
  const port = portOf({ resolve: (question, answer) => void questions.push({ ...question, answer }), close() {} });
  const names = namesThrough(port);
  const heard: unknown[] = [];
  for (let n = 0; n < 3; n += 1) names('one')('slow.example', { all: true }, (fault, addresses) => heard.push(fault ?? addresses));
  names('two')('slow.example', { all: true }, (fault) => heard.push(fault?.message));
  await eventually(() => questions.length >= 2);
  assert.deepEqual(questions.map(({ organization, hostname }) => [organization, hostname]), [['one', 'slow.example'], ['two', 'slow.example']]);
  questions[0]!.answer(here);
  questions[1]!.answer(null);
  await eventually(() => heard.length >= 4);
  assert.deepEqual(heard, [here, here, here, 'did not resolve']);
  names('one')('slow.example', { all: true }, () => {});
  await eventually(() => questions.length >= 3);
  port.close();
});

test('two who ask through one port hear the answers to their own questions alone', async () => {
  const questions: { hostname: string; answer: (addresses: readonly LookupAddress[] | null) => void }[] = [];
  const port = portOf({ resolve: ({ hostname }, answer) => void questions.push({ hostname, answer }), close() {} });
  const heard: unknown[] = [];
  const there: LookupAddress[] = [{ address: '127.0.0.2', family: 4 }];
  for (const names of [namesThrough(port), namesThrough(port)]) {
    names('one')(`name-${heard.length}.example`, { all: true }, (fault, addresses) => heard.push(fault ?? addresses));
  }
  await eventually(() => questions.length >= 2);
  questions[1]!.answer(there);
  questions[0]!.answer(here);
  await eventually(() => heard.length >= 2);
  assert.deepEqual(heard, [there, here]);
  port.close();
});

test('the real process resolves as this machine does, and says when a name does not resolve', async () => {
  const resolver = createNameResolver({ monotonicMs: () => performance.now(), say: (sentence) => assert.fail(sentence) });
  const of = (hostname: string): Promise<readonly LookupAddress[] | null> =>
    new Promise((resolve) => { resolver.resolve({ organization: 'one', hostname }, resolve); });
  const kept = setInterval(() => {}, 1_000);
  try {
    const addresses = await of('localhost');
    assert.ok(addresses!.length > 0 && addresses!.every(({ address }) => address === '::1' || address.startsWith('127.')), JSON.stringify(addresses));
    // Such names never resolve anywhere.
    assert.equal(await of('no-such-name.invalid'), null);
    assert.equal(await of('a name that is none'), null);
  } finally {
    clearInterval(kept);
    resolver.close();
  }
});

const linux = { skip: process.platform !== 'linux' };

test('the real process ends when its parent is killed, ignores signals to its group, and is handed no secret', linux, async () => {
  const parent = fileURLToPath(new URL('./test-support/parent-of-names.ts', import.meta.url));
  const env = { ...process.env, SVC_MASTER_KEY: 'secret-of-the-parent' };
  const child = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  const pid = Number(line.toString());
  assert.match(readFileSync(`/proc/${pid}/cmdline`, 'utf8'), /name-process/);
  assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, 'utf8'), /secret-of-the-parent/);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid, signal);
  child.kill('SIGUSR2');
  const [again] = (await once(child.stdout!, 'data')) as [Buffer];
  assert.equal(Number(again.toString()), pid, 'the same process answers after the signals');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await eventually(() => !isThere(pid));
});

/** A process that has ended may still be listed until somebody asks for its end. */
function isThere(pid: number): boolean {
  try {
    return existsSync(`/proc/${pid}`) && !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
