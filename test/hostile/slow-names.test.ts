/**
 * An organization whose names never resolve, beside another whose provider is known by name and dialled for every call (decision 0101). What
 * resolves organizations' names is stopped in the middle of them, as a name server that does not answer would do. It is the worst case: no
 * name of any organization resolves.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';

const answer = JSON.stringify({ id: 'c', object: 'chat.completion', choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } });

/** Closes after every answer, so that every call is a dial and every dial a name to resolve. */
async function closingProvider(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(answer));
  }).listen(0, 'localhost');
  await once(server, 'listening');
  return server;
}

async function call(system: System, key: string, target = '/v1/chat/completions'): Promise<number> {
  const response = await fetch(system.gatewayUrl + target, {
    method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body: '{"model":"gpt-4o","messages":[]}',
  });
  await response.text();
  return response.status;
}

/** The process that resolves names; null: there is none. */
function nameProcessOf({ pid }: System): number | null {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const line = lines.map((each) => each.trim().split(/\s+/))
    .find(([, parent, ...args]) => parent === String(pid) && args.join(' ').includes('name-process'));
  return line === undefined ? null : Number(line[0]);
}

async function testWebhooks(system: System, organization: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const made = await system.cli(['webhook', 'create', '--org', organization, '--url', `https://black-hole-${at}.example/h`, '--json']);
    assert.equal((await system.cli(['webhook', 'test', (made.json() as { id: string }).id, '--json'])).code, 0);
  }
}

/** False as well for one that has ended and is still listed. */
function runs(pid: number): boolean {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,stat='], { encoding: 'utf8' }).split('\n').map((line) => line.trim().split(/\s+/));
  return lines.some(([listed, state]) => listed === String(pid) && !state!.startsWith('Z'));
}

test('names that never resolve delay no call of another organization, no sign-in, and not the end of the product', async () => {
  const provider = await closingProvider();
  const system = await startSystem({ env: { SVC_OPENAI_URL: `http://localhost:${(provider.address() as AddressInfo).port}` } });
  try {
    const { key } = await system.createKey();
    assert.equal(await call(system, key), 200);
    assert.equal(nameProcessOf(system), null, 'a name of the operator starts no process');
    await system.createOrganization('slow', 'enterprise');
    await system.declareUpstream({ organization: 'slow', url: `http://localhost:${(provider.address() as AddressInfo).port}` });
    const slow = (await system.createKey({ organization: 'slow' })).key;
    assert.equal(await call(system, slow, '/upstream/v1/chat/completions'), 200, 'a name of an organization resolves as the machine resolves it');
    const names = nameProcessOf(system)!;
    process.kill(names, 'SIGSTOP');
    await testWebhooks(system, 'slow', 8);
    const dials = Array.from({ length: 20 }, () => call(system, slow, '/upstream/v1/chat/completions'));
    const statuses: number[] = [];
    while (statuses.length < 300) statuses.push(await call(system, key));
    assert.deepEqual(statuses, Array.from({ length: 300 }, () => 200));
    // It hashes a password, on the threads that the process shares.
    const signIn = await fetch(`${system.platformUrl}/platform/v1/auth/sign-in/email`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"email":"nobody@example.com","password":"wrong-password-1"}',
    });
    assert.equal(signIn.status, 401);
    assert.deepEqual(new Set(await Promise.all(dials)), new Set([502]));
    process.kill(names, 'SIGCONT');
    const served = () => eventually(async () => await call(system, slow, '/upstream/v1/chat/completions') === 200);
    await served();
    process.kill(nameProcessOf(system)!, 'SIGKILL');
    await system.says(/The process that resolves names of upstreams and webhooks is started again: it ended \(SIGKILL\)/);
    await served();
    const last = nameProcessOf(system)!;
    process.kill(last, 'SIGSTOP');
    assert.equal(await system.stop(), 0);
    assert.equal(runs(last), false, 'it ended with the product');
  } finally {
    await system.stop().catch(() => {});
    provider.closeAllConnections();
    provider.close();
  }
});
