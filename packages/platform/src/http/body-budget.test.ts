/** What bodies of requests hold together, who is refused when it is used up, and that a body is read only once its sender is known. Decision 303. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { platformApp } from './app.ts';
import { createBodyBudget } from './body-budget.ts';
import { platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

const kibibyte = 1_024;
let platform: PlatformFixture;
let acme: TestOrganization;
let other: TestOrganization;
platformOfFile(async (made) => {
  platform = made;
  [acme, other] = [await platform.organization('acme'), await platform.organization('other')];
});

test('alone a sender holds half, two a third each, and a newcomer finds room; what is released is there again', () => {
  const budget = createBodyBudget(12 * kibibyte, kibibyte);
  const fill = (sender: string): readonly [number, string] => {
    const held = budget.known(sender);
    for (let pieces = 0; ; pieces += 1) {
      const room = held.add(kibibyte);
      if (room !== 'held') return [pieces, room];
    }
  };
  assert.deepEqual([fill('one'), fill('two'), fill('three')], [[6, 'own'], [3, 'all'], [1, 'all']]);
  const alone = createBodyBudget(12 * kibibyte, kibibyte);
  const [first, second] = [alone.known('one'), alone.known('one')];
  assert.deepEqual([first.add(6 * kibibyte), second.add(1)], ['held', 'own']);
  first.release();
  first.release();
  assert.deepEqual([second.add(6 * kibibyte), alone.heldBytes], ['held', 6 * kibibyte]);
  assert.deepEqual([alone.unknown('192.0.2.1').add(512), alone.unknown('192.0.2.1').add(1)], ['held', 'own'], 'strangers take nothing of it');
});

/** A body that goes on until it is ended; `read`: how often somebody asked for more of it. */
function slowBody(text: string) {
  let from: ReadableStreamDefaultController<Uint8Array>;
  const about = { read: 0 };
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => { from = controller; },
    pull: () => { about.read += 1; },
  }, { highWaterMark: 0 });
  return { stream, about, send: () => from.enqueue(Buffer.from(text)), end: () => from.close() };
}

async function seen(isSo: () => boolean): Promise<void> {
  await eventually(isSo);
}

test('bodies that are being sent count, whatever becomes of them; above its share an organization gets 429, and others go on', async () => {
  const bodies = createBodyBudget(32 * kibibyte, 2 * kibibyte);
  const app = platformApp({ ...platform.parts, bodies });
  const post = async (path: string, body: string | ReadableStream, headers: Readonly<Record<string, string>>) => app.request(
    new Request(`http://platform.test/platform/v1${path}`, {
      method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json', ...headers },
    } as RequestInit));
  const as = ({ tokens: { member } }: TestOrganization) => ({ authorization: `Bearer ${member}` });
  const text = `{"name":"slow"${' '.repeat(10 * kibibyte)}`;
  const slow = slowBody(text);
  const underWay = post('/keys', slow.stream, as(acme));
  await seen(() => slow.about.read > 0);
  assert.equal(bodies.heldBytes, 0, 'what was announced does not count');
  slow.send();
  await seen(() => bodies.heldBytes > 0);
  const refused = await post('/keys', `${text}}`, as(acme));
  assert.deepEqual([refused.status, refused.headers.get('connection'), Number(refused.headers.get('retry-after')) > 0], [429, 'close', true]);
  assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'too_many_bodies');
  assert.equal((await post('/keys', `${text}}`, as(other))).status, 201);
  assert.equal((await post('/keys', '{"name":"small"}', as(acme))).status, 201);
  slow.send();
  assert.equal((await underWay).status, 429, 'it has outgrown the share');
  assert.equal(bodies.heldBytes, 0);

  const signIn = await post('/auth/sign-in/email', `{"email":"a@b.example","password":"x"${' '.repeat(3 * kibibyte)}}`, {});
  assert.deepEqual(
    [signIn.status, ((await signIn.json()) as { error: { code: string } }).error.code], [503, 'busy'], 'strangers have a small budget',
  );
  const gone = slowBody('{');
  const leaving = new AbortController();
  const left = Promise.resolve(app.request(new Request('http://platform.test/platform/v1/keys', {
    method: 'POST', body: gone.stream, duplex: 'half', signal: leaving.signal, headers: { 'content-type': 'application/json', ...as(acme) },
  } as RequestInit)));
  gone.send();
  await seen(() => bodies.heldBytes > 0);
  gone.end();
  assert.equal((await left).status, 400);
  assert.equal(bodies.heldBytes, 0);
});

test('nothing of a body is read before its sender is known and may ask, or where more is announced than may be sent', async () => {
  const send = async (headers: Readonly<Record<string, string>>) => {
    const body = slowBody('{');
    const answer = await platform.app.request(new Request('http://platform.test/platform/v1/caps', {
      method: 'POST', body: body.stream, duplex: 'half', headers: { 'content-type': 'application/json', ...headers },
    } as RequestInit));
    return [answer.status, body.about.read];
  };
  assert.deepEqual(await send({}), [401, 0]);
  assert.deepEqual(await send({ authorization: `Bearer ${acme.tokens.viewer}` }), [403, 0]);
  assert.deepEqual(await send({ authorization: `Bearer ${acme.tokens.admin}`, 'content-length': '65537' }), [413, 0]);
});
