/**
 * A thread that does not answer, stopped by a debugger in the running product: `/readyz` names it, `/metrics` shows it, the log says so, and all
 * three end when it answers again. One that does not for ten seconds is ended, with its calls recorded. Rule: Processes; decisions 0107 and 0206.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { hangingGateway } from '@metergate/testkit/hanging-gateway.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { debugThreads, inspected } from '@metergate/testkit/thread-debugger.ts';
import { eventually } from '@metergate/testkit/eventually.ts';

async function startInspected(t: TestContext) {
  const system = await startSystem({ env: inspected });
  const threads = await debugThreads(system);
  t.after(async () => {
    // Node waits for its debugger to leave.
    threads.close();
    assert.equal(await system.stop(), 0, system.stderr());
  });
  return { system, threads };
}

async function textOf({ opsUrl }: System, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${opsUrl}${path}`);
  return { status: answer.status, text: await answer.text() };
}

/** Polls until `/readyz` gives this status; then its text. */
async function readiness(system: System, wanted: number): Promise<string> {
  const found = await eventually(async () => {
    const answer = await textOf(system, '/readyz');
    return answer.status === wanted && answer;
  });
  return found.text;
}

test('a gateway or store thread that hangs makes the node unready, by its name, until it continues', { timeout: 120_000 }, async (t) => {
  const { system, threads } = await startInspected(t);
  for (const thread of ['gateway', 'store']) {
    assert.equal((await textOf(system, '/readyz')).status, 200);
    await threads.pause(`${thread}-thread`);
    const said = await readiness(system, 503);
    assert.match(said, new RegExp(`^not ready\n${thread}_thread: The ${thread} thread does not answer: .+restart this process`));
    assert.equal((await textOf(system, '/healthz')).status, 200);
    const { text } = await textOf(system, '/metrics');
    assert.match(text, new RegExp(`^metergate_thread_up\\{thread="${thread}"\\} 0$`, 'm'));
    assert.match(text, new RegExp(`^metergate_gateway_up ${thread === 'gateway' ? 0 : 1}$`, 'm'));
    await system.says(new RegExp(`The ${thread} thread does not answer`));
    await threads.resume(`${thread}-thread`);
    assert.equal(await readiness(system, 200), 'ready\n');
    await system.says(new RegExp(`The ${thread} thread answers again\\.`));
    assert.doesNotMatch((await textOf(system, '/metrics')).text, /^metergate_thread_up\{.+\} 0$/m);
  }
  const { key } = await system.createKey();
  const answer = await fetch(`${system.gatewayUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(answer.status, 200);
  await answer.arrayBuffer();
});

const elsewhere = process.platform !== 'linux';

test('a platform thread that hangs beside a gateway is reported, and calls are still sent here', { timeout: 120_000, skip: elsewhere }, async (t) => {
  const system = await startSystem();
  t.after(() => system.stop());
  const platform = system.platformPid();
  process.kill(platform, 'SIGSTOP');
  try {
    await system.says(/The platform thread does not answer: pages and the API hang\./);
    assert.match((await textOf(system, '/metrics')).text, /^metergate_thread_up\{thread="platform"\} 0$/m);
    assert.equal((await textOf(system, '/readyz')).text, 'ready\n');
  } finally {
    process.kill(platform, 'SIGCONT');
  }
  await system.says(/The platform thread answers again\./);
});

test('one that hangs keeps a stopping process for a few seconds only', { timeout: 120_000, skip: elsewhere }, async () => {
  const system = await startSystem({ env: { SVC_GRACE_SECONDS: '30' } });
  process.kill(system.platformPid(), 'SIGSTOP');
  const stopped = system.stop();
  await system.says(/The platform thread did not end in time and was killed\./);
  assert.equal(await stopped, 0, system.stderr());
});

test('one that hangs ends with a process that is killed: its port is free for the next', { timeout: 120_000, skip: elsewhere }, async (t) => {
  const system = await startSystem();
  process.kill(system.platformPid(), 'SIGSTOP');
  await system.kill9();
  const again = await system.restart();
  t.after(() => again.stop());
  assert.equal((await fetch(`${again.platformUrl}/platform/v1/auth/session`)).status, 401);
});

test('one that dies is named with how it died, and another takes its place', { timeout: 120_000, skip: elsewhere }, async (t) => {
  const system = await startSystem();
  t.after(() => system.stop());
  process.kill(system.platformPid(), 'SIGKILL');
  await system.says(/The platform thread ended, by SIGKILL, and is being restarted\. Calls are still forwarded\./);
  const status = await eventually(() => fetch(`${system.platformUrl}/platform/v1/auth/session`).then((answer) => answer.status, () => false));
  assert.equal(status, 401);
});

/** A product whose gateway thread computes for ever, with a call under way. */
async function startComputing(t: TestContext) {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'metergate-silent-'));
  t.after(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const hanging = hangingGateway(join(dataDirectory, 'hang'));
  const system = await startSystem({ env: hanging.env, dataDirectory });
  const { key } = await system.createKey();
  system.openai.respond('silence');
  const left = fetch(`${system.gatewayUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } }).then(() => 'answered', () => 'broken');
  await eventually(async () => /^metergate_calls_in_flight 1$/m.test((await textOf(system, '/metrics')).text));
  hanging.hang();
  return { system, left, dataDirectory };
}

test('a gateway thread that computes for ever is ended with its stack in the log, its call is recorded, and the process ends', {
  timeout: 180_000,
}, async (t) => {
  const { system, left, dataDirectory } = await startComputing(t);
  await system.says(/The gateway thread did not answer and was ended\. .+ Its stack: at computesForEver \(file:\/\/\S+hanging-thread\.mjs:\d+:\d+\)/);
  await system.says(/This process ends, so that it is started again\./);
  assert.equal(await system.exited(), 1, system.stderr());
  await system.stop();
  assert.equal(await left, 'broken');
  // By the process itself: nothing of it is left to the next start.
  const store = new DatabaseSync(join(dataDirectory, 'metergate.db'), { readOnly: true });
  t.after(() => store.close());
  assert.deepEqual(store.prepare('select outcome, path from call_record').all().map((row) => ({ ...row })),
    [{ outcome: 'interrupted', path: '/v1/models' }]);
});

test('it does not keep a stopping process from ending, either', { timeout: 180_000 }, async (t) => {
  const { system, left, dataDirectory } = await startComputing(t);
  await readiness(system, 503);
  const stopped = system.stop();
  await system.says(/The gateway thread did not answer and was ended\./);
  assert.deepEqual([await stopped, await left], [0, 'broken'], system.stderr());
  const reader = await startSystem({ dataDirectory });
  t.after(() => reader.stop());
  const [record] = await reader.calls({ count: 1 });
  assert.deepEqual([record?.outcome, record?.path], ['interrupted', '/v1/models']);
});
