/**
 * Over HTTP on both engines: the Baseline's resource, its report, and a tap key that is read once: by one of 50 at once, and never by a
 * request that a browser makes by itself. Spec: Other routes, Tap key, Authentication 5 and 6; rules 16 and 20.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { roles } from '@metergate/core/account/role.ts';
import { newDatabase } from '@metergate/store/test-support/contract-fixture.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { understoodEvent } from '@metergate/core/tap/test-support/sample-event.ts';
import { createToken } from '../use-cases/management-tokens.ts';
import { tapPrices } from '../use-cases/tap-prices.ts';
import { assessmentsOperations } from './resources/assessments.ts';
import {
  freshSqlite, granted, platformFixture, type Answered, type Asked, type PlatformFixture, type TestOrganization,
} from './test-support/platform-fixture.ts';

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`assessments on ${engine}`, () => {
    let server: TestPostgres | null = null;
    let remove = (): void => {};
    let platform: PlatformFixture;
    let count = 0;
    before(async () => {
      const sqlite = freshSqlite();
      remove = sqlite.remove;
      if (engine === 'PostgreSQL') server = await testPostgres();
      platform = await platformFixture(server === null ? sqlite.url : await newDatabase(server));
    });
    after(async () => {
      await platform?.end();
      await server?.stop();
      remove();
    });

    interface Tapped {
      readonly owner: Pick<TestOrganization, 'id' | 'tokens'>;
      readonly id: string;
      readonly prefix: string;
      ask(path: string, asked?: Asked): Promise<Answered>;
    }
    /** An organization with a token for each role and no members, which is quick to make. */
    const newOrganization = async (): Promise<Tapped['owner']> => {
      const { id } = granted(await platform.store.organizations.create({ name: `tapped ${++count}`, plan: 'team' }));
      const context = { store: platform.store, randomBytes: platform.parts.randomBytes, nowMs: Date.now() };
      const tokens = await Promise.all(roles.map(async (role) =>
        [role, granted(await createToken(context, { organization: id, role, maker: null })).token]));
      return { id, tokens: Object.fromEntries(tokens) as TestOrganization['tokens'] };
    };
    const newBaseline = async (given?: TestOrganization): Promise<Tapped> => {
      const owner = given ?? await newOrganization();
      const made = await platform.ask('/platform/v1/assessments', { method: 'POST', token: owner.tokens.admin });
      assert.equal(made.status, 201, made.text);
      const id = String(made.body['id']);
      const ask = (path: string, asked: Asked = {}) =>
        platform.ask(`/platform/v1/assessments/${id}${path}`, { token: owner.tokens.admin, ...asked });
      return { owner, id, prefix: String(made.body['prefix']), ask };
    };
    const codeOf = ({ body }: Answered): string => String((body['error'] as { code?: string } | undefined)?.code ?? 'none');
    const admission = (key: string) => platform.store.tapEvents.admission(createHash('sha256').update(key).digest('hex'));

    test('it is made once, without showing its key, and starts waiting', async () => {
      const { owner, id, prefix, ask } = await newBaseline();
      assert.match(id, /^bsl_[0-9A-Za-z]{20}$/);
      assert.match(prefix, /^svc_tap_[0-9a-f]{4}$/);
      const again = await platform.ask('/platform/v1/assessments', { method: 'POST', token: owner.tokens.owner });
      assert.deepEqual([again.status, codeOf(again)], [409, 'baseline_exists']);
      const shown = await ask('', { token: owner.tokens.viewer });
      const { state, keyRead, firstDay, readmitted, retiredAt, organization } = shown.body;
      assert.deepEqual([state, keyRead, firstDay, readmitted, retiredAt, organization], ['waiting', false, null, false, null, owner.id]);
      assert.doesNotMatch(shown.text, /svc_tap_[0-9a-f]{5}/);
      const list = await platform.ask('/platform/v1/assessments', { token: owner.tokens.viewer });
      assert.deepEqual([(list.body['data'] as { id: string }[]).map((each) => each.id), list.body['nextCursor']], [[id], null]);
    });

    test('50 readers of one key at once: one 200, and 49 learn that it was shown', async () => {
      const { prefix, ask } = await newBaseline();
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask('/tap-key')));
      const read = answers.filter(({ status }) => status === 200);
      assert.equal(read.length, 1);
      assert.deepEqual(Object.keys(read[0]!.body), ['key', 'prefix']);
      const { key } = read[0]!.body as { key: string };
      assert.match(key, /^svc_tap_[0-9a-f]{64}$/);
      assert.deepEqual([read[0]!.body['prefix'], key.slice(0, 12)], [prefix, prefix]);
      assert.equal(read[0]!.headers.get('cache-control'), 'no-store');
      for (const answer of answers) if (answer !== read[0]) assert.deepEqual([answer.status, codeOf(answer)], [404, 'tap_key_already_shown']);
      assert.equal(await admission(key), 'admitted');
    });

    test('HEAD, prefetches, other sites and lesser roles read nothing, by session or by token; then the key is still there', async () => {
      const peopled = await platform.organization('with people');
      const { owner, ask } = await newBaseline(peopled);
      const cookie = await platform.signIn(peopled.emails.admin);
      const asSession = { token: undefined, cookie } as unknown as Asked;
      for (const who of [asSession, { token: owner.tokens.admin }]) {
        for (const headers of [
          { 'sec-purpose': 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }, { 'x-moz': 'prefetch' },
          { purpose: 'preview' }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' },
          { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
          { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
          { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
          { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'script' },
          { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
          { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
          { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' },
          { origin: 'http://platform.test:3000' }, { origin: 'null' }, { referer: 'http://platform.test:3000/page' }, { referer: 'nowhere' },
        ]) assert.equal((await ask('/tap-key', { ...who, headers })).status, 403, JSON.stringify(headers));
        assert.equal((await ask('/tap-key', { ...who, method: 'HEAD' })).status, 405);
      }
      const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0' };
      for (const accept of ['image/avif,image/webp,*/*;q=0.8', 'text/html,application/xhtml+xml,*/*;q=0.8', '*/*']) {
        assert.equal((await ask('/tap-key', { ...asSession, headers: { ...browser, accept } })).status, 403, `${accept} over plain http`);
      }
      for (const role of ['viewer', 'member'] as const) assert.equal((await ask('/tap-key', { token: owner.tokens[role] })).status, 403);
      assert.equal((await ask('/tap-key', { token: 'svc_tap_' + '0'.repeat(64) })).status, 401);
      const ours = { origin: 'http://platform.test', referer: 'http://platform.test/dashboard' };
      const own = await ask('/tap-key', { ...asSession, headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', ...ours } });
      assert.equal(own.status, 200, own.text);
    });

    test("the dashboard's script reads it over plain http, where a browser says of a request only what it accepts", async () => {
      const peopled = await platform.organization('by plain http');
      const { ask } = await newBaseline(peopled);
      const cookie = await platform.signIn(peopled.emails.admin);
      const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0', accept: 'application/json' };
      const own = await ask('/tap-key', { token: undefined, cookie, headers } as unknown as Asked);
      assert.equal(own.status, 200, own.text);
    });

    test('the tap key itself opens no route of the platform', async () => {
      const { ask } = await newBaseline();
      const { key } = (await ask('/tap-key')).body as { key: string };
      for (const path of ['', '/tap-key']) assert.equal((await ask(path, { token: key })).status, 401);
      assert.equal((await ask('/tap-key/rotate', { method: 'POST', token: key })).status, 401);
    });

    test('rotated, the new key is shown once, the old one stops and neither can be read again', async () => {
      const { ask } = await newBaseline();
      const { key: old } = (await ask('/tap-key')).body as { key: string };
      const rotated = await ask('/tap-key/rotate', { method: 'POST' });
      assert.deepEqual([rotated.status, Object.keys(rotated.body)], [200, ['key', 'prefix']]);
      const { key, prefix } = rotated.body as { key: string; prefix: string };
      assert.deepEqual([await admission(old), await admission(key), prefix], ['unknown_key', 'admitted', key.slice(0, 12)]);
      assert.equal(codeOf(await ask('/tap-key')), 'tap_key_already_shown');
      assert.equal((await ask('')).body['prefix'], prefix);
    });

    test('every change leaves its audit row, and none holds a key', async () => {
      const { owner, id, ask } = await newBaseline();
      const { key } = (await ask('/tap-key')).body as { key: string };
      await ask('/tap-key');
      await ask('/tap-key/rotate', { method: 'POST' });
      await ask('/declared', { method: 'POST', body: { name: 'seats', usd: '3' } });
      await ask('/retire', { method: 'POST' });
      const rows = await platform.store.audit.list({ organization: owner.id, limit: 5 }) ?? [];
      assert.deepEqual(rows.map(({ action }) => action).toReversed(),
        ['createAssessment', 'readTapKey', 'rotateTapKey', 'declareFigure', 'retireAssessment']);
      assert.ok(rows.every(({ subject, actor }) => subject === id && actor.kind === 'token'));
      assert.ok(!JSON.stringify(rows).includes(key.slice(12)));
    });

    test('declared figures and the report come back in the form that the document describes', async () => {
      const { ask } = await newBaseline();
      const { key } = (await ask('/tap-key')).body as { key: string };
      const rateLimit = { requestsLimit: 10, requestsRemaining: 4, tokensLimit: 100, tokensRemaining: 0 };
      const events = ['a', 'b'].map((requestId) => understoodEvent({ requestId, rateLimit, timestampMs: Date.now() }));
      const { isPriced, priceSteps } = tapPrices();
      await platform.store.tapEvents.keep({ keyHash: createHash('sha256').update(key).digest('hex'), events, isPriced, priceSteps });
      const declared = await ask('/declared', { method: 'POST', body: { name: 'seats <b>', usd: '12.5' } });
      assert.equal(declared.status, 200, declared.text);
      const shown = await ask('');
      const schema = assessmentsOperations.find(({ id }) => id === 'showAssessment')!.answer;
      schema.parse(shown.body);
      const report = shown.body['report'] as { total: Record<string, unknown>; declared: unknown };
      assert.deepEqual(report.declared, [{ name: 'seats <b>', amount: { value: '12.500000000', label: 'declared' } }]);
      assert.deepEqual(report.total['inputTokens'], { value: 2_000, label: 'reported' });
      assert.deepEqual(report.total['cost'], { value: '0.009000000', label: 'modeled' });
      for (const usd of ['-1', '1e3', '', '1.0000000001', 'x', '99999999999']) {
        assert.deepEqual(codeOf(await ask('/declared', { method: 'POST', body: { name: 'x', usd } })), 'invalid_input', usd);
      }
      for (const name of ['', ' a', 'a\u0000']) {
        assert.deepEqual(codeOf(await ask('/declared', { method: 'POST', body: { name, usd: '1' } })), 'invalid_name', name);
      }
    });

    test('nothing of all this was a fault', () => assert.deepEqual(platform.reports, []));
  });
}
