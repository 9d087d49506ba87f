/**
 * On the running product: what is made by command works over HTTP and the other way round; the provider's test call; the master key
 * rotated under load without a failed call, and across kill -9; an organization erased while its key is in use; and after all of it no
 * secret in the data directory or in the product's output. Promise 6; rules 16 to 18 and 23.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptFiles } from '@metergate/testkit/kept-files.ts';
import { providerKeys, startSystem, type System } from '@metergate/testkit/system.ts';

const password = 'CANARY-password-of-a-user';
let system: System;
const secrets: string[] = [password, providerKeys.openai, providerKeys.anthropic];
before(async () => {
  system = await startSystem();
});
after(() => system?.stop());

type Fields = Record<string, unknown>;
const cli = async (args: string[], stdin?: string): Promise<{ readonly code: number | null; readonly json: Fields }> => {
  const result = await system.cli([...args, '--json'], stdin);
  return { code: result.code, json: result.json() as Fields };
};
const http = async (path: string, token: string, init: RequestInit = {}): Promise<{ readonly status: number; readonly body: Fields }> => {
  const response = await fetch(`${system.platformUrl}/platform/v1${path}`, {
    ...init, headers: { authorization: `Bearer ${token}`, ...(init.body === undefined ? {} : { 'content-type': 'application/json' }) },
  });
  return { status: response.status, body: (await response.json()) as Fields };
};
const call = async (key: string): Promise<number> => {
  const response = await fetch(`${system.gatewayUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
};
const adminToken = async (organization = 'default', role = 'owner'): Promise<string> => {
  const { json } = await cli(['token', 'create', '--org', organization, '--role', role]);
  secrets.push(String(json['token']));
  return String(json['token']);
};
test('a key made over HTTP forwards calls, and ends when the command revokes it; both leave their audit rows', async () => {
  const token = await adminToken();
  const made = await http('/keys', token, { method: 'POST', body: JSON.stringify({ name: 'by http' }) });
  assert.equal(made.status, 201);
  secrets.push(String(made.body['key']));
  assert.equal(await call(String(made.body['key'])), 200);
  assert.equal((await cli(['key', 'revoke', String(made.body['id'])])).code, 0);
  await eventually(async () => await call(String(made.body['key'])) === 401, 'the key still works');
  const audit = (await http('/audit', token)).body['data'] as { action: string; actor: { kind: string; name: string }; subject: string }[];
  const rows = audit.filter(({ subject }) => subject === made.body['id']).map(({ action, actor }) => [action, actor.kind, actor.name]);
  const { prefix } = ((await http('/tokens', token)).body['data'] as { prefix: string }[]).at(-1)!;
  assert.deepEqual(rows, [['revokeKey', 'operator', userInfo().username], ['createKey', 'token', prefix]]);
});

test("what a command changes by id only, and what the first start connected, is in the organization's own audit trail", async () => {
  const token = await adminToken();
  const idOf = async (args: string[]): Promise<string> => String((await cli(args)).json['id']);
  const cap = await idOf(['cap', 'set', '--org', 'default', '--scope', 'project', '--project', 'p', '--window', 'day', '--limit', '5']);
  const key = await idOf(['key', 'create', '--org', 'default']);
  for (const args of [['cap', 'remove', cap], ['key', 'revoke', key]]) assert.equal((await cli(args)).code, 0);
  const audit = (await http('/audit?limit=1000', token)).body['data'] as { action: string; actor: { kind: string }; subject: string }[];
  const of = (subject: string) => audit.filter((row) => row.subject === subject).map(({ action }) => action);
  assert.deepEqual([of(cap), of(key)], [['removeCap', 'setCap'], ['revokeKey', 'createKey']]);
  const first = audit.slice(-3).toReversed();
  assert.deepEqual(first.map(({ action, actor }) => [action, actor.kind]),
    [['createOrganization', 'system'], ['connectProvider', 'system'], ['connectProvider', 'system']]);
  assert.deepEqual(first.slice(1).map(({ subject }) => subject), ['openai', 'anthropic']);
});

test('a link made in a shell that does not know the ports of the running platform still leads to it', async () => {
  const { json } = await cli(['user', 'invite', '--org', 'default', '--role', 'viewer']);
  const link = String(json['link']);
  assert.ok(link.startsWith(`${system.platformUrl}/join#`), 'the port was chosen by the machine');
  secrets.push(link.split('#')[1]!);
  assert.equal((await fetch(link)).status, 200);
});

test('a user made by command signs in over HTTP; a taken email, a short password and an unknown role are refused', async () => {
  const made = await cli(['user', 'create', '--email', 'grace@example.com', '--org', 'default', '--role', 'admin'], `${password}\n`);
  assert.deepEqual([made.code, made.json['role']], [0, 'admin']);
  const signIn = (given: string) => fetch(`${system.platformUrl}/platform/v1/auth/sign-in/email`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ email: 'grace@example.com', password: given }),
  });
  const [right, wrong] = [await signIn(password), await signIn(`${password} `)];
  assert.deepEqual([right.status, wrong.status], [200, 401]);
  secrets.push(decodeURIComponent(right.headers.getSetCookie()[0]!.split(/[=;]/)[1]!).split('.')[0]!);
  const again = await cli(['user', 'create', '--email', 'Grace@Example.com', '--org', 'default', '--role', 'viewer'], password);
  assert.deepEqual([again.code, (again.json['error'] as Fields)['code']], [1, 'email_taken']);
  const short = await cli(['user', 'create', '--email', 'x@example.com', '--org', 'default', '--role', 'viewer'], 'short');
  assert.deepEqual([short.code, (short.json['error'] as Fields)['code']], [1, 'invalid_password']);
  assert.equal((await cli(['user', 'create', '--email', 'x@example.com', '--org', 'default', '--role', 'king'], password)).code, 2);
});

test('the test call asks the provider itself with the stored key, by command and over HTTP', async () => {
  const tested = await cli(['provider', 'test', 'openai', '--org', 'default']);
  assert.deepEqual(tested.json, { provider: 'openai', organization: tested.json['organization'], state: 'connected', accepted: true, status: 200 });
  const received = system.openai.requests.at(-1)!;
  assert.ok(JSON.stringify(received).includes(providerKeys.openai));
  const token = await adminToken();
  assert.equal((await http('/providers/anthropic/test', token, { method: 'POST' })).body['accepted'], true);
  const { json: other } = await cli(['org', 'create', 'keyless']);
  const missing = await cli(['provider', 'test', 'openai', '--org', String(other['id'])]);
  assert.deepEqual([missing.code, (missing.json['error'] as Fields)['code']], [1, 'provider_not_connected']);
});

test('the limits of the plan, and the page they link to', async () => {
  const { json: organization } = await cli(['org', 'create', 'limited', '--plan', 'growth']);
  const token = await adminToken(String(organization['id']), 'viewer');
  const { body } = await http('/limits', token);
  assert.deepEqual(body, { requestsPerMin: 1_200, tokensPerMin: 2_000_000, tier: 'growth', docs: `${system.platformUrl}/limits`, note: null });
  const page = await (await fetch(String(body['docs']))).text();
  for (const text of ['1,200', '2,000,000', '16 MB', '1.6 MB', '429']) assert.ok(page.includes(text), text);
  await cli(['org', 'set', String(organization['id']), '--plan', 'enterprise']);
  const agreed = (await http('/limits', token)).body;
  assert.deepEqual([agreed['requestsPerMin'], agreed['tokensPerMin'], agreed['tier'], typeof agreed['note']], [null, null, 'enterprise', 'string']);
});

const masterKeyFile = (): string => join(system.dataDirectory, 'master.key');

test('the master key is rotated during calls: none fails, and the next start opens the store with the new file', async () => {
  const { key } = await system.createKey();
  secrets.push(key);
  const old = readFileSync(masterKeyFile(), 'utf8').trim();
  const going = { on: true };
  const statuses = new Map<number, number>();
  const load = (async () => {
    while (going.on) {
      const status = await call(key);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  })();
  const next = randomBytes(32).toString('base64');
  const rotated = await cli(['master-key', 'rotate'], `${next}\n`);
  assert.equal(rotated.code, 0, JSON.stringify(rotated.json));
  // A change makes the node reload the organization: what it unseals then is under the new key.
  await cli(['org', 'set', 'default', '--drain', '3']);
  const made = await system.createKey();
  await eventually(async () => await call(made.key) === 200, 'the key does not work');
  going.on = false;
  await load;
  assert.deepEqual([...statuses.keys()], [200]);
  assert.equal(readFileSync(masterKeyFile(), 'utf8').trim(), next);
  assert.equal(statSync(masterKeyFile()).mode & 0o777, 0o600);
  assert.ok(!readdirSync(system.dataDirectory).includes('master.key.next'));
  const refused = await cli(['master-key', 'rotate'], next);
  assert.deepEqual([refused.code, (refused.json['error'] as Fields)['code']], [1, 'invalid_master_key']);
  secrets.push(old, made.key);

  // The state after a kill between the store's change of key and the move of its file.
  renameSync(masterKeyFile(), `${masterKeyFile()}.next`);
  writeFileSync(masterKeyFile(), `${old}\n`, { mode: 0o600 });
  assert.equal((await cli(['org', 'list'])).code, 0);
  assert.equal(readFileSync(masterKeyFile(), 'utf8').trim(), next, 'the command that found it put it in place');
  renameSync(masterKeyFile(), `${masterKeyFile()}.next`);
  writeFileSync(masterKeyFile(), `${old}\n`, { mode: 0o600 });
  await system.kill9();
  system = await system.restart();
  assert.equal(await call(key), 200);
  // The state after a kill before that: the old key is in force, the other file is of no use.
  writeFileSync(`${masterKeyFile()}.next`, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  assert.equal((await cli(['org', 'list'])).code, 0);
  rmSync(`${masterKeyFile()}.next`);
  secrets.push(next);
});

test('an erased organization is gone within a second: its key, its token, its name; its records keep their figures', async () => {
  const { json: organization } = await cli(['org', 'create', 'CANARY-organization', '--plan', 'scale']);
  const id = String(organization['id']);
  await system.connectProvider('openai', id);
  const { key } = await system.createKey({ organization: id, project: 'CANARY-project' });
  const token = await adminToken(id);
  assert.equal(await call(key), 200);
  await system.calls({ count: 1, organization: id });
  assert.equal((await http(`/organizations/${id}`, await adminToken(id, 'admin'), { method: 'DELETE' })).status, 403);
  assert.deepEqual((await http(`/organizations/${id}`, token, { method: 'DELETE' })).body, { id, erased: true });
  await eventually(async () => await call(key) === 401, 'the key still works');
  assert.equal((await http('/keys', token)).status, 401);
  assert.equal((await cli(['org', 'erase', id, '--yes'])).code, 1);
  secrets.push(key, 'CANARY-organization', 'CANARY-project');
});

test('the data directory and the output hold no secret, and no words of the erased organization once its journal is shipped', async () => {
  await eventually(() => filesWith('CANARY-organization').length === 0, 'the name is still in files');
  const before = system.stdout() + system.stderr();
  await system.kill9();
  system = await system.restart();
  // The words of records are removed in slices, and the engine's own copies of them after the last one.
  await eventually(() => ['CANARY-organization', 'CANARY-project'].every((word) => filesWith(word).length === 0), 'the words are still in files');
  const said = before + system.stdout() + system.stderr();
  for (const secret of secrets) assert.ok(!said.includes(secret), 'said by the product');
  assert.deepEqual(secrets.map((secret) => [secret.slice(0, 12), filesWith(secret)]).filter(([, files]) => files!.length > 0), []);
});

/** Files, except the master key's own, that hold `secret` as it is or in hexadecimal or base64. */
function filesWith(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '')].map((form) => Buffer.from(form));
  return [...keptFiles(system.dataDirectory)].filter(([path, held]) => path !== masterKeyFile() && forms.some((form) => held.includes(form)))
    .map(([path]) => path);
}
