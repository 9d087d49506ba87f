/**
 * Run headers as a hostile caller sends them, at the real port (spec: Run, Errors 400; rule 15): doubled in any letter case, figures of
 * any length, every byte, and a grant with one bit flipped at every position. Nothing is forwarded, and no run is made.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mintGrant } from '@metergate/platform/use-cases/runs.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { RawConnection, requestBytes, type RawAnswer } from '@metergate/testkit/raw-client.ts';
import { bearer } from '../running-product.ts';
import { limitHeaders, metered, meteredAnswer, sharedProduct, type Tenant } from './tenant.ts';

const product = sharedProduct();

function codeOf(answer: RawAnswer): string {
  if (answer.status === 200) return '200';
  return `${answer.status} ${(JSON.parse(answer.body.toString()) as { error: { code: string } }).error.code}`;
}

/** Makes calls on one connection, and on a new one if the gateway has ended it. */
class Callers {
  readonly #tenant: Tenant;
  #connection: RawConnection | null = null;

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  async code(headers: readonly HeaderPair[]): Promise<string> {
    return codeOf(await this.call(headers));
  }

  async call(headers: readonly HeaderPair[]): Promise<RawAnswer> {
    this.#connection ??= await RawConnection.open(product.system.gatewayUrl);
    const answer = await this.#connection.call({ target: '/v1/chat/completions', headers: [bearer(this.#tenant.key), ...headers], body: metered(0) });
    if (answer.head.toString('latin1').toLowerCase().includes('connection: close')) await this.close();
    return answer;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
    this.#connection = null;
  }
}

async function runsOf(tenant: Tenant): Promise<string[]> {
  // A run that is not there is polled for a moment, because a new run takes a while to appear.
  await product.store.runs.get({ organization: tenant.id as never, id: 'none' });
  return (await product.store.runs.list({ organization: tenant.id as never, limit: 1_000 })).map(({ id }) => id);
}

/** A text as UTF-8 bytes for a header. */
function asHeaderBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

test('a doubled run header is refused in any letter case; neither value is used', async () => {
  const tenant = await product.tenant();
  const callers = new Callers(tenant);
  const good: Record<string, string> = { id: 'r', budget: '5', ttl: '60' };
  for (const name of ['id', 'budget', 'ttl', 'grant']) {
    const code = `invalid_run_${name}`;
    for (const second of [`x-svc-run-${name}`, `X-SVC-RUN-${name.toUpperCase()}`, `X-Svc-Run-${name}`, `x-sVc-rUn-${name}`]) {
      const value = good[name] ?? 'rbg1.AA.AA';
      const others = Object.entries(good).filter(([each]) => each !== name).map(([each, text]): HeaderPair => [`X-Svc-RUN-${each}`, text]);
      assert.equal(await callers.code([[`x-svc-run-${name}`, value], ...others, [second, value]]), `400 ${code}`, second);
    }
  }
  await callers.close();
  assert.deepEqual(await runsOf(tenant), []);
});

test('figures of any length: too large ones saturate, too fine or too small ones are refused, none is read as another', async () => {
  const tenant = await product.tenant();
  const callers = new Callers(tenant);
  const largest = '9223372036.854775';
  const effective: [string, string][] = [
    ['9'.repeat(400), largest], [`1${'0'.repeat(399)}.000001`, largest], ['9223372036.854776', largest],
    [`${'0'.repeat(399)}7`, '7.000000'], [`${'0'.repeat(400)}.000001`, '0.000001'],
  ];
  for (const [at, [budget, shown]] of effective.entries()) {
    const answer = await callers.call([['x-svc-run-id', `b${at}`], ['x-svc-run-budget', budget], ['x-svc-run-ttl', '9'.repeat(400)]]);
    assert.deepEqual([answer.status, limitHeaders(answer).effective], [200, shown], budget.slice(0, 20));
  }
  const budgets = [
    '0'.repeat(400), `0.${'0'.repeat(399)}1`, `1.${'0'.repeat(400)}`, `${'1'.repeat(400)}e1`, '1e3', '1E3', '1e-3', '-0', '1_000', '1 000', '0b1',
    'Infinity', '1.', '.1', '１', '１.００', '٣', '1\u00a0', '¹', '1\t0', '5;5', '5, 5', '$5', '5.00 USD', '++5', '5.-1',
  ];
  for (const budget of budgets.map(asHeaderBytes)) {
    assert.equal(await callers.code([['x-svc-run-id', 'r'], ['x-svc-run-budget', budget]]), '400 invalid_run_budget', budget);
  }
  for (const ttl of ['0'.repeat(400), '1.0', '1e3', '６０', '60s', '-60', '0x3c', 'Infinity', '6 0'].map(asHeaderBytes)) {
    assert.equal(await callers.code([['x-svc-run-id', 'r'], ['x-svc-run-ttl', ttl]]), '400 invalid_run_ttl', ttl);
  }
  await callers.close();
  assert.deepEqual((await runsOf(tenant)).sort(), ['b0', 'b1', 'b2', 'b3', 'b4']);
});

test('every byte in a run id: visible ASCII names a run, anything else is a 400, and 128 characters is the maximum', async () => {
  const tenant = await product.tenant();
  const callers = new Callers(tenant);
  const heard = product.system.openai.requests.length;
  const made: string[] = [];
  for (let byte = 0; byte < 256; byte += 1) {
    const id = `r${String.fromCharCode(byte)}x`;
    const code = await callers.code([['x-svc-run-id', id]]);
    if (byte >= 0x21 && byte <= 0x7e) {
      assert.equal(code, '200', `byte ${byte}`);
      made.push(id);
    } else {
      // Node's parser accepts no control byte except the tab; the others end with its 400, before the header is read.
      const isControl = (byte < 0x20 && byte !== 9) || byte === 0x7f;
      assert.equal(code, isControl ? '400 invalid_request' : '400 invalid_run_id', `byte ${byte}`);
    }
  }
  for (const [length, code] of [[128, '200'], [129, '400 invalid_run_id'], [8_000, '400 invalid_run_id']] as const) {
    assert.equal(await callers.code([['x-svc-run-id', '~'.repeat(length)]]), code);
    if (code === '200') made.push('~'.repeat(length));
  }
  await callers.close();
  assert.equal(product.system.openai.requests.length - heard, made.length);
  assert.deepEqual((await runsOf(tenant)).sort(), made.sort());
});

test('a grant with one flipped bit, at any position, is refused; the grant itself is accepted before and after', async () => {
  const tenant = await product.tenant({ maxRunBudget: '1' });
  const minted = await mintGrant(product.context(), { organization: tenant.id, run: 'g', max: '50', lifetimeMs: 3_600_000 });
  assert.ok('grant' in minted);
  const { grant } = minted;
  const withGrant = (token: string): HeaderPair[] => [['x-svc-run-id', 'g'], ['x-svc-run-budget', '50'], ['x-svc-run-grant', token]];
  await tenant.until((answer) => limitHeaders(answer).effective === '50.000000', { headers: withGrant(grant) });
  const callers = new Callers(tenant);
  const heard = product.system.openai.requests.length;
  for (let at = 0; at < grant.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const flipped = grant.slice(0, at) + String.fromCharCode(grant.charCodeAt(at) ^ (1 << bit)) + grant.slice(at + 1);
      const code = await callers.code(withGrant(flipped));
      assert.ok(code === '400 invalid_run_grant' || code === '400 invalid_request', `bit ${bit} of character ${at}: ${code}`);
    }
  }
  assert.equal(product.system.openai.requests.length, heard);
  assert.equal(limitHeaders(await callers.call(withGrant(grant))).effective, '50.000000');
  await callers.close();
});

test('a refused HEAD has no body and leaves its connection usable; a GET makes a run as a POST does', async () => {
  const tenant = await product.tenant();
  const connection = await RawConnection.open(product.system.gatewayUrl);
  const call = (method: string, id: string) => connection.call({ method, target: '/v1/models', headers: [bearer(tenant.key), ['x-svc-run-id', id]] });
  product.system.openai.respond({ body: '{}' });
  const head = await call('HEAD', 'not visible');
  assert.deepEqual([head.status, head.body.length], [400, 0]);
  assert.equal((await call('GET', 'seen')).status, 200);
  assert.equal((await call('HEAD', 'seen-by-head')).status, 200);
  await connection.close();
  product.system.openai.respond(meteredAnswer);
  assert.deepEqual((await runsOf(tenant)).sort(), ['seen', 'seen-by-head']);
});

test('a caller that waits for 100 Continue gets it only if nothing known refuses the call', async () => {
  const tenant = await product.tenant();
  await tenant.cap({ scope: 'organization', window: 'lifetime', limit: '0' });
  await tenant.until((answer) => answer.status === 402);
  const other = await product.tenant();
  const ask = async ({ key }: Tenant): Promise<number[]> => {
    const connection = await RawConnection.open(product.system.gatewayUrl);
    const request = requestBytes({
      target: '/v1/chat/completions', body: metered(0), headers: [bearer(key), ['Expect', '100-continue'], ['x-svc-run-id', 'r']],
    }, 'x');
    const bodyAt = request.length - metered(0).length;
    connection.send(request.subarray(0, bodyAt));
    if (key === other.key) {
      await connection.nextHead();
      connection.send(request.subarray(bodyAt));
    }
    await connection.nextAnswer();
    await connection.close();
    return connection.answers.map(({ status }) => status);
  };
  assert.deepEqual([await ask(tenant), await ask(other)], [[402], [100, 200]]);
});
