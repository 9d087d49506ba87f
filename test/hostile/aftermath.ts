/**
 * What must hold after every attack: the product still serves a fresh connection, the records are those the attack should leave, and
 * stderr holds nothing secret. Attacks are distinguished by the project their caller names, because a caller who left knows no id.
 */
import assert from 'node:assert/strict';
import type { CallRecordJson } from '@metergate/core/record/call-record.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { headerValue, type HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall, RawConnection, type RawAnswer } from '@metergate/testkit/raw-client.ts';
import { providerKeys, type System } from '@metergate/testkit/system.ts';
import { bearer, requestIdForm, type Service } from '../running-product.ts';

/** How long a test waits for the product at most. Milliseconds. */
const deadlineMs = 60_000;

/** Headers with the key, and with a project to find the call's record by. */
export function named(service: Service, project: string): HeaderPair[] {
  return [bearer(service.key), ['x-svc-project', project]];
}

/** Checks that the next call on a fresh connection works, with a provider that answers properly. */
export async function assertServes({ system, key }: Service): Promise<void> {
  system.openai.respond({ headers: [['content-type', 'application/json']], body: '{"object":"list","data":[]}' });
  const answer = await rawCall(system.gatewayUrl, { method: 'GET', target: '/v1/models', headers: [bearer(key), ['x-svc-project', 'next']] });
  assert.equal(answer.status, 200);
  assert.equal(answer.body.toString(), '{"object":"list","data":[]}');
  for (const secret of [key, ...Object.values(providerKeys)]) assert.ok(!system.stderr().includes(secret), 'a secret on stderr');
}

/**
 * Resolves once the gateway has seen the earlier resets: the system reports socket events in the order in which they happened. Asks twice,
 * because the first one may be reported together with them.
 */
export async function hasSeenWhatCame(system: System): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await rawCall(system.gatewayUrl, { method: 'GET', target: '/nowhere', headers: [] })).status, 404);
  }
}

/** The one record of each of these projects, once all are there; fails if one has two. */
export async function recordsOf({ system }: Service, projects: readonly string[]): Promise<CallRecordJson[]> {
  let missing: readonly string[] = [];
  return eventually(async () => {
    const all = await system.calls({ count: 0 });
    const found = projects.map((project) => all.filter((record) => record.project === project));
    for (const [at, records] of found.entries()) assert.ok(records.length < 2, `${projects[at]} has ${records.length} records`);
    missing = projects.filter((_, at) => found[at]?.length === 0);
    return missing.length === 0 && found.flat();
  }, () => `no record of ${missing.join(', ')}\n${system.stderr()}`);
}

/** Checks projects whose calls must have left no record, after something later was recorded. */
export async function assertNoRecordOf({ system }: Service, projects: readonly string[]): Promise<void> {
  const all = await system.calls({ count: 0 });
  assert.deepEqual(all.filter((record) => projects.includes(record.project ?? '')), []);
}

/** Checks an answer of the gateway's own: this status and code, both ids, and two different ones. */
export function assertEnvelope(answer: RawAnswer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.head.toString('latin1') + answer.body.toString());
  assert.equal((JSON.parse(answer.body.toString()) as { error: { code: string } }).error.code, code);
  const [own, theirs] = ['x-svc-request-id', 'x-request-id'].map((name) => headerValue(answer.headers, name) ?? '');
  assert.match(own ?? '', requestIdForm);
  assert.match(theirs ?? '', requestIdForm);
  assert.notEqual(own, theirs);
}

/** Sends raw bytes on a separate connection. */
export async function sendRaw({ system }: Service, bytes: string | Uint8Array): Promise<RawConnection> {
  const connection = await RawConnection.open(system.gatewayUrl);
  connection.send(bytes);
  return connection;
}

/** Resolves with how the gateway ended the connection, while the caller's side is still open; then ends that too. */
export async function endOf(connection: RawConnection, what: string): Promise<'fin' | 'rst'> {
  const { socket } = connection;
  if (!socket.readableEnded && !socket.destroyed) {
    const over = Promise.withResolvers<void>();
    socket.once('end', over.resolve).once('close', over.resolve);
    await inTime(over.promise, `the end of the connection (${what})`);
  }
  socket.end();
  return inTime(connection.ended, `the close of the connection (${what})`);
}

/** Fails with a message, instead of hanging, if the promise does not resolve in time. */
export async function inTime<Value>(promise: Promise<Value>, what: string): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what}: not within ${deadlineMs} ms`)), deadlineMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A chat stream of the first wire with usage, as separate events. */
export const chatEvents: readonly string[] = [
  'data: {"id":"c1","object":"chat.completion.chunk","model":"gpt-4o-mini","choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n',
  'data: {"id":"c1","object":"chat.completion.chunk","model":"gpt-4o-mini","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
  'data: {"id":"c1","object":"chat.completion.chunk","model":"gpt-4o-mini","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,'
    + '"total_tokens":10}}\n\n',
  'data: [DONE]\n\n',
];

/** The head that makes an answer an event stream. */
export const eventStream: readonly HeaderPair[] = [['content-type', 'text/event-stream']];
