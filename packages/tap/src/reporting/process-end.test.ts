/**
 * The ends of a host's process: waiting events are delivered, and the host keeps its exit code, its signal and its handlers
 * (spec, Tap client wrapper 3; rule 30c). Real processes, a real endpoint.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runHost } from '../test-support/host.ts';
import { answer, startIngestionServer } from '../test-support/ingestion-server.ts';

const server = await startIngestionServer();
after(() => server.close());

/** The ids that arrived while this ran. */
async function delivered(run: () => Promise<unknown>): Promise<string[]> {
  const before = server.ids().length;
  await run();
  return server.ids().slice(before);
}

const env = { SVC_TAP_KEY: 'svc_tap_test', SVC_TAP_ENDPOINT: server.url };

test('a normal end delivers the waiting events and keeps the exit code', async () => {
  for (const code of [0, 7]) {
    const ids = await delivered(async () => {
      const ended = await runHost(`tap(client, 't'); await call(3); process.exitCode = ${code};`, { env });
      assert.deepEqual([ended.code, ended.signal, ended.stdout, ended.stderr], [code, null, '', '']);
    });
    assert.deepEqual(ids, ['call_1', 'call_2', 'call_3']);
  }
});

test('process.exit keeps its code and delivers what it can before the deadline, in batches of 100', async () => {
  const ids = await delivered(async () => {
    const ended = await runHost(`tap(client, 't'); await call(250); process.exit(3);`, { env });
    assert.deepEqual([ended.code, ended.signal, ended.stderr], [3, null, '']);
  });
  assert.equal(ids.length, 250);
  assert.deepEqual(server.posts.slice(-3).map(({ events }) => events.length), [100, 100, 50]);
  assert.equal(server.posts.at(-1)!.headers['user-agent'], 'metergate-tap/0.2.0');
  assert.equal(server.posts.at(-1)!.headers.authorization, 'Bearer svc_tap_test');
  assert.equal(server.posts.at(-1)!.headers['content-type'], 'application/json');
});

test('an uncaught exception ends the host as it would, after waiting events are delivered', async () => {
  const ids = await delivered(async () => {
    const ended = await runHost(`tap(client, 't'); await call(2); throw new Error('of the host');`, { env });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /Error: of the host/);
  });
  assert.deepEqual(ids, ['call_1', 'call_2']);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} without a handler of the host: the process still dies of it, after waiting events are delivered`, async () => {
    const ids = await delivered(async () => {
      const ended = await runHost(`tap(client, 't'); await call(2); setInterval(() => {}, 1000); console.log('up');`, {
        env, onLine: (_line, kill) => kill(signal),
      });
      assert.deepEqual([ended.code, ended.signal, ended.stderr], [null, signal, '']);
    });
    assert.deepEqual(ids, ['call_1', 'call_2']);
  });

  test(`${signal} with a handler of the host: it runs once, is the only listener, and decides`, async () => {
    const script = `tap(client, 't'); await call(2);
      const open = setInterval(() => {}, 1000);
      process.on('${signal}', () => { console.log('handled', process.listenerCount('${signal}')); clearInterval(open); process.exitCode = 9; });
      console.log('up');`;
    const ids = await delivered(async () => {
      const ended = await runHost(script, { env, onLine: (line, kill) => line === 'up' && kill(signal) });
      assert.deepEqual([ended.code, ended.signal, ended.stdout], [9, null, 'up\nhandled 1\n']);
    });
    assert.deepEqual(ids, ['call_1', 'call_2']);
  });
}

test('a library that sends the signal again if it counts only its own listeners still does so', async () => {
  // Packages that run code at exit do this: their listener counts listeners, and ends the process if there are none but theirs.
  const script = `tap(client, 't'); await call(1);
    process.on('SIGTERM', function own() {
      if (process.listeners('SIGTERM').length !== 1) return;
      process.removeListener('SIGTERM', own);
      process.kill(process.pid, 'SIGTERM');
    });
    setInterval(() => {}, 1000); console.log('up');`;
  const ended = await runHost(script, { env, onLine: (_line, kill) => kill('SIGTERM') });
  assert.deepEqual([ended.code, ended.signal], [null, 'SIGTERM']);
});

test('no signal is listened to while nothing waits', async () => {
  const script = `tap(client, 't');
    const count = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
    console.log(count()); await call(); console.log(count());
    while (count() > 0) await later(20);
    console.log(count());`;
  const ended = await runHost(script, { env });
  assert.equal(ended.stdout, '0\n2\n0\n');
});

test('a host with as many listeners as Node allows without a warning is not warned because of the tap\'s', async () => {
  const script = `for (const event of ['exit', 'SIGTERM', 'SIGINT']) for (let at = 0; at < 10; at += 1) process.on(event, () => {});
    tap(client, 't'); await call(); process.on('warning', ({ name }) => console.log(name)); await later(50); process.exit(0);`;
  const ids = await delivered(async () => {
    const ended = await runHost(script, { env: { ...env, NODE_NO_WARNINGS: '0' } });
    assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, '', '']);
  });
  assert.deepEqual(ids, ['call_1']);
});

test('a host that listens to beforeExit is called once, as without the tap', async () => {
  const ids = await delivered(async () => {
    const ended = await runHost(`process.on('beforeExit', () => console.log('before exit')); tap(client, 't'); await call(2);`, { env });
    assert.deepEqual([ended.code, ended.stdout], [0, 'before exit\n']);
  });
  assert.deepEqual(ids, ['call_1', 'call_2']);
});

test('a worker thread delivers at its end too, and its code is kept', async () => {
  const source = new URL('../tap.ts', import.meta.url).href;
  for (const end of ['', 'process.exit(5)']) {
    const ids = await delivered(async () => {
      const inside = `import('${source}').then(async ({ tap }) => {
        const client = { chat: { completions: { create: async () => ({ id: 'worker_1', model: 'm', choices: [], usage: {} }) } } };
        tap(client, 't'); await client.chat.completions.create({}); ${end}
      })`;
      const script = `import { Worker } from 'node:worker_threads';
        new Worker(${JSON.stringify(inside)}, { eval: true }).on('exit', (code) => console.log('worker', code));`;
      const ended = await runHost(script, { env });
      assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, end === '' ? 'worker 0\n' : 'worker 5\n', '']);
    });
    assert.deepEqual(ids, ['worker_1']);
  }
});

test('inspect mode prints what is queued at every end', async () => {
  for (const end of ['', 'process.exit(4)', 'process.kill(process.pid, "SIGTERM"); await later(5000);']) {
    const ended = await runHost(`tap(client, 't', { inspect: true }); await call(150); ${end}`, { env });
    const lines = ended.stderr.trimEnd().split('\n');
    assert.equal(lines.length, 3, ended.stderr);
    assert.match(lines[0]!, /^metergate-tap: inspect mode/);
    assert.deepEqual(lines.slice(1).map((line) => (JSON.parse(line) as { events: unknown[] }).events.length), [100, 50]);
  }
});

test('an answer at the end that closes the Baseline or refuses the key is reported as at any time', async () => {
  const closing = await startIngestionServer(answer(410, { error: { code: 'baseline_closed', message: 'x' } }));
  const settings = { SVC_TAP_KEY: 'svc_tap_test', SVC_TAP_ENDPOINT: closing.url };
  try {
    for (const end of ['', 'process.exit(0)']) {
      const ended = await runHost(`tap(client, 't'); await call(500); ${end}`, { env: settings });
      assert.equal(ended.code, 0);
      assert.match(ended.stderr, /^metergate-tap: the Baseline has closed[^\n]*\n$/);
    }
    assert.equal(closing.posts.length, 2);
  } finally {
    closing.close();
  }
});
