/**
 * Two organizations share nothing. Each operation that takes an id answers another organization's id exactly like one that never existed, to the
 * byte; lists, cursors, the audit trail and errors never show one organization anything of the other. Promise 6; rules: Interfaces.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { newDatabase, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { askedDimensions } from '../use-cases/usage.ts';
import { operations } from './app.ts';
import { freshSqlite, platformFixture, type Asked, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`isolation on ${engine}`, () => {
    let server: TestPostgres | null = null;
    let remove = (): void => {};
    let platform: PlatformFixture;
    let own: TestOrganization;
    let other: TestOrganization;
    /** Ids of the other organization's things, by the operation that takes one. */
    const foreign: Record<string, string> = {};
    let ownCookie: string;
    const ask = (path: string, asked: Asked) => platform.ask(`/platform/v1${path}`, asked);
    const made = async (path: string, body: unknown, token = other.tokens.owner): Promise<string> => {
      const answer = await ask(path, { method: 'POST', body, token });
      assert.equal(answer.status, 201, answer.text);
      return String(answer.body['id']);
    };
    before(async () => {
      const sqlite = freshSqlite();
      remove = sqlite.remove;
      if (engine === 'PostgreSQL') server = await testPostgres();
      platform = await platformFixture(server === null ? sqlite.url : await newDatabase(server));
      own = await platform.organization('own');
      other = await platform.organization('other');
      const members = (await ask('/members', { token: other.tokens.owner })).body['data'] as { id: string }[];
      const [key, cap, invitation, token, baseline] = [
        await made('/keys', { name: 'theirs', project: 'their-secret-project' }),
        await made('/caps', { scope: 'organization', window: 'day', limit: '5' }),
        await made('/invitations', { email: 'guest@other.example', role: 'viewer' }), await made('/tokens', { role: 'viewer' }),
        await made('/assessments', {}),
      ];
      const line = { amount: { value: 1, currency: 'usd' }, line_item: 'gpt-6, input' };
      const bill = JSON.stringify({ data: [{ start_time: 1, end_time: 2, results: [line] }] });
      const recorded = await ask('/corrections', { method: 'POST', body: { provider: 'openai', file: bill }, token: other.tokens.owner });
      const correction = (recorded.body['corrections'] as { id: string }[])[0]!.id;
      const alert = await made('/alerts', { cap, at: [80] });
      const budget = await made('/month-budgets', { scope: 'organization', amount: '5' });
      const webhook = await made('/webhooks', { url: 'https://hooks.example.com/theirs' });
      const begun = await ask('/auth/machine-sign-ins', { method: 'POST', body: { challenge: 'c'.repeat(43), port: 4_711 } });
      const signIn = String(begun.body['id']);
      ownCookie = await platform.signIn(own.emails.owner);
      const cookie = await platform.signIn(other.emails.member);
      assert.equal((await ask(`/auth/machine-sign-ins/${signIn}/allow`, { method: 'POST', cookie })).status, 200);
      const kept = await platform.store.savedViews.save({ organization: other.id, person: members[0]!.id }, { name: 'theirs', query: 'by=key' });
      const view = String((kept as { id: unknown }).id);
      Object.assign(foreign, {
        showOrganization: other.id, setOrganization: other.id, eraseOrganization: other.id,
        setMemberRole: members[0]!.id, makeMemberPasswordLink: members[0]!.id, setKey: key, rotateKey: key, removeMember: members[0]!.id,
        withdrawInvitation: invitation, revokeKey: key, removeCap: cap, revokeToken: token, endWayIn: token,
        showRun: 'their-run', showRunStory: 'their-run', closeRun: 'their-run',
        showAssessment: baseline, readTapKey: baseline, rotateTapKey: baseline, retireAssessment: baseline, declareFigure: baseline,
      });
      await platform.store.runs.open([{
        organization: other.id, id: 'their-run', declared: null, effective: null, clampReason: null, startedAtMs: Date.now(), expiresAtMs: null,
        exposureLimit: null, mayCreate: true,
      }]);
      const records = [own, own, own, other, other].map(({ id }, index) =>
        sampleRecord(id, { run: 'their-run', startedAtMs: 1_000_000 + (index % 2) }));
      await platform.store.calls.ship({ segment: 'seg_1', through: 5, records: records.map((record, index) => ({ seq: index + 1, record })) });
      const ids = [3, 4].map((digit) => `req_${String(digit).repeat(32)}` as never);
      await platform.store.refusalLog.add([ids[0]!, ids[1]!].map((id, index) => ({
        organization: other.id as never, key: key as never, id, answerId: id, run: 'their-run', code: 'run_closed', scope: null, window: null,
        refusedAtMs: Date.now() - index,
      })));
      Object.assign(foreign, {
        showRefusal: ids[0],
        showReceipt: records[3]!.id, showCall: records[3]!.id, showCallCost: records[3]!.id, removeAlert: alert, removeCorrection: correction,
        removeBudget: budget,
        showMachineSignIn: signIn, allowMachineSignIn: signIn, refuseMachineSignIn: signIn, takeMachineKey: signIn,
        removeView: view, removeWebhook: webhook, testWebhook: webhook, listWebhookDeliveries: webhook,
      });
    });
    after(async () => {
      await platform?.end();
      await server?.stop();
      remove();
    });
    const bodies: Record<string, unknown> = {
      takeMachineKey: { verifier: 'v'.repeat(43) },
      setOrganization: { drainSeconds: 7 }, setMemberRole: { role: 'viewer' }, declareFigure: { name: 'n', usd: '1' }, setKey: { disabled: true },
    };

    for (const { id: operation, method, path, body } of operations.filter((each) => each.path.includes('{id}'))) {
      test(`${operation}: another organization's id is like one that never was`, async () => {
        // Machines sign in for people: a token gets 403 whatever the id.
        const as = path.startsWith('/auth/machine-sign-ins/') ? { cookie: ownCookie } : { token: own.tokens.owner };
        const asked = { method: method.toUpperCase(), ...as, ...(body === undefined ? {} : { body: bodies[operation] ?? {} }) };
        const theirs = foreign[operation];
        assert.ok(theirs !== undefined, `the table of foreign ids lacks ${operation}`);
        const answers = [theirs, theirs.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')), '0', '%00', "'--", 'é', '%2e'.repeat(3)];
        const given = await Promise.all(answers.map((id) => ask(path.replace('{id}', encodeURI(id)), asked)));
        for (const answer of given) assert.deepEqual([answer.status, answer.text], [404, given[0]!.text]);
      });
    }

    test('nothing of the other organization changed by all that', async () => {
      const keys = (await ask('/keys', { token: other.tokens.owner })).body['data'] as { id: string; revokedAt: string | null }[];
      assert.deepEqual(keys.map(({ id, revokedAt }) => [id, revokedAt]), [[foreign['revokeKey'], null]]);
      assert.equal(((await ask('/caps', { token: other.tokens.owner })).body['data'] as unknown[]).length, 1);
      assert.equal((await ask('/auth/session', { token: other.tokens.owner })).status, 200);
      assert.equal((await ask('/runs/their-run', { token: other.tokens.owner })).body['state'], 'live');
    });

    test("no list, report or error of one holds a word, an id or a figure of the other's", async () => {
      const theirs = [other.id, 'other.example', 'their-secret-project', ...Object.values(foreign).filter((id) => id !== 'their-run')];
      const range = 'from=1970-01-01T00:00:00Z&to=2100-01-01T00:00:00Z';
      const queries: Readonly<Record<string, readonly string[]>> = {
        showUsage: [...askedDimensions.map((by) => `?by=${by}&since=7d`), '?by=label,model', '?by=run,day&project=x'],
        exportCalls: ['jsonl', 'csv', 'focus'].map((format) => `?format=${format}&${range}`),
      };
      for (const { id, method, path } of operations.filter((each) => each.method === 'get' && !each.path.includes('{') && each.serviceKey !== true)) {
        for (const query of queries[id] ?? ['']) {
          const { status, text } = await ask(path + query, { method: method.toUpperCase(), token: own.tokens.owner });
          if (query !== '') assert.equal(status, 200, `${path}${query}: ${text}`);
          for (const word of theirs) assert.ok(!text.includes(word), `${path}${query} holds ${word}`);
        }
      }
    });

    test("usage and exports count only one's own calls", async () => {
      const counted = async (token: string) => {
        const days = (await ask('/usage?by=day&since=1970-01', { token })).body['data'] as { calls: number }[];
        const { text } = await ask('/exports?from=1970-01-01T00:00:00Z&to=2100-01-01T00:00:00Z', { token });
        return [days.reduce((sum, { calls }) => sum + calls, 0), text.trimEnd().split('\n').length];
      };
      assert.deepEqual([await counted(own.tokens.viewer), await counted(other.tokens.viewer)], [[3, 3], [2, 2]]);
    });

    test('a cursor of the other organization is like none: the calls, the audit trail, every other list', async () => {
      for (const path of ['/calls', '/refusals/log', '/audit', '/members', '/tokens']) {
        const theirs = (await ask(`${path}?limit=1`, { token: other.tokens.owner })).body['nextCursor'];
        assert.equal(typeof theirs, 'string', path);
        const answer = await ask(`${path}?cursor=${String(theirs)}`, { token: own.tokens.owner });
        const nonsense = await ask(`${path}?cursor=AAAA`, { token: own.tokens.owner });
        assert.deepEqual([answer.status, answer.text], [400, nonsense.text], path);
      }
    });

    test('pages of calls give the whole list, each record once, also if calls began in the same millisecond', async () => {
      const seen: string[] = [];
      for (let cursor: unknown = null; ;) {
        const page = await ask(`/calls?limit=1${cursor === null ? '' : `&cursor=${String(cursor)}`}`, { token: own.tokens.viewer });
        assert.equal(page.status, 200, page.text);
        seen.push(...(page.body['data'] as { id: string }[]).map(({ id }) => id));
        cursor = page.body['nextCursor'];
        if (cursor === null) break;
      }
      const all = (await ask('/calls', { token: own.tokens.viewer })).body['data'] as { id: string }[];
      assert.equal(all.length, 3);
      assert.deepEqual(seen, all.map(({ id }) => id));
    });

    test('nothing was answered with a fault', () => assert.deepEqual(platform.reports, []));
  });
}
