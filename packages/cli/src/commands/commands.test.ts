/**
 * What each command prints, the fields of its JSON, its exit code, that secrets are never echoed,
 * and that bad input is one sentence with nothing written. Rules: Interfaces.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import { interruptedRecord } from '@metergate/core/record/call-record.ts';
import { sandboxCredential } from '@metergate/platform/use-cases/sandbox-placeholder.ts';
import type { Store } from '@metergate/store/store.ts';
import { productEnv, type CliResult } from '@metergate/testkit/system.ts';
import { ownDirectory } from '../test-support/own-directory.ts';
import { runInProcess } from '../test-support/run-in-process.ts';

const { root, dataDirectory, make, inStore, remove } = ownDirectory();
const ports = { SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0' };

before(async () => {
  await make();
});
after(remove);

interface Given {
  readonly stdin?: string;
  readonly env?: Record<string, string>;
  /** When the command is run; now by default. */
  readonly nowMs?: () => number;
}

function run(args: readonly string[], { stdin = '', env = {}, nowMs = Date.now }: Given = {}): Promise<CliResult> {
  return runInProcess(args, productEnv({ SVC_DATA_DIR: dataDirectory, ...ports, ...env }), stdin, { nowMs });
}

async function json(args: readonly string[], given: Given = {}): Promise<unknown> {
  const result = await run([...args, '--json'], given);
  assert.equal(result.code, 0, result.stderr);
  assert.equal(result.stderr, '');
  return result.json();
}

function oneSentence({ stderr }: CliResult, sentence: RegExp): void {
  assert.match(stderr, /^metergate: [^\n]+\n$/);
  assert.match(stderr, sentence);
}

test('org: create, list and set answer with their fields, and a taken name is refused', async () => {
  const made = await json(['org', 'create', 'Acme']) as { id: string };
  assert.match(made.id, /^org_[0-9A-Za-z]{20}$/);
  assert.deepEqual(made, { id: made.id, name: 'Acme', plan: 'free' });
  assert.deepEqual(Object.keys((await json(['org', 'list']) as object[])[0]!), [
    'id', 'name', 'plan', 'drainSeconds', 'fallbackPrice', 'enforceKeyCaps', 'maxRunBudget', 'runCeiling', 'runExposure',
    'unmetered', 'wrongBaseUrl', 'models', 'follow', 'ownKeys', 'requestsPerMinute', 'tokensPerMinute', 'keepRecordsDays', 'recordsGoneBefore',
    'createdAt',
  ]);
  const set = await json(['org', 'set', 'Acme', '--plan', 'team', '--drain', '9', '--fallback-price', '2.50/10']) as { createdAt: string };
  assert.deepEqual(set, {
    id: made.id, name: 'Acme', plan: 'team', drainSeconds: 9, fallbackPrice: { input: '2.500000000', output: '10.000000000' },
    enforceKeyCaps: false, maxRunBudget: null, runCeiling: null, runExposure: null,
    unmetered: { deferred: 'allow', unreported: 'allow', handedOut: 'allow', hidden: 'allow' }, wrongBaseUrl: 'forward',
    models: null, follow: false, ownKeys: null,
    requestsPerMinute: null,
    tokensPerMinute: null,
    keepRecordsDays: null, recordsGoneBefore: null, createdAt: new Date(set.createdAt).toISOString(),
  });
  const back = await json(['org', 'set', made.id, '--drain', 'none', '--fallback-price', 'none']);
  assert.deepEqual(back, { ...set, drainSeconds: null, fallbackPrice: null });
  const taken = await run(['org', 'create', 'Acme', '--json']);
  assert.equal(taken.code, 1);
  assert.deepEqual(taken.json(), { error: { code: 'name_taken', message: 'There is already an organization with this name. Choose another name.' } });
  oneSentence(taken, /already an organization/);
});

test('org set: one rule for all unmetered work, or one for some kinds; what is no rule is a usage error', async () => {
  await json(['org', 'create', 'Unmetered']);
  const set = async (rules: string) => (await json(['org', 'set', 'Unmetered', '--unmetered', rules]) as { unmetered: object }).unmetered;
  assert.deepEqual(await set('refuse'), { deferred: 'refuse', unreported: 'refuse', handedOut: 'refuse', hidden: 'refuse' });
  assert.deepEqual(await set('unreported=allow,handed-out=refuse-under-limits'), {
    deferred: 'refuse', unreported: 'allow', handedOut: 'refuse-under-limits', hidden: 'refuse',
  });
  for (const wrong of ['', 'never', 'deferred', 'deferred=', 'deferred=no', 'handedOut=refuse', 'deferred=refuse,deferred=allow', 'deferred=refuse=x',
    'deferred=refuse,', 'refuse,deferred=allow']) {
    const result = await run(['org', 'set', 'Unmetered', '--unmetered', wrong, '--json']);
    assert.equal(result.code, 2, wrong);
    oneSentence(result, /--unmetered/);
  }
  assert.deepEqual(await set('allow'), { deferred: 'allow', unreported: 'allow', handedOut: 'allow', hidden: 'allow' });
});

test('org set: policies of caps, runs and agreed figures, each removed by none; figures only on enterprise', async () => {
  assert.equal((await json(['org', 'create', 'Policies', '--plan', 'Free']) as { plan: string }).plan, 'free');
  const set = (...args: string[]) => json(['org', 'set', 'Policies', ...args]) as Promise<Record<string, unknown>>;
  const policy = await set('--enforce-key-caps', 'on', '--max-run-budget', '5', '--run-ceiling', '7.5', '--run-exposure', '0');
  assert.deepEqual([policy['enforceKeyCaps'], policy['maxRunBudget'], policy['runCeiling'], policy['runExposure']],
    [true, '5.000000000', '7.500000000', '0.000000000']);
  const refused = await run(['org', 'set', 'Policies', '--requests-per-minute', '9000', '--json']);
  assert.equal(refused.code, 1);
  oneSentence(refused, /enterprise plan only/);
  const agreed = await set('--plan', 'enterprise', '--requests-per-minute', '9000', '--tokens-per-minute', '70000000');
  assert.deepEqual([agreed['requestsPerMinute'], agreed['tokensPerMinute'], agreed['runCeiling']], [9_000, 70_000_000, '7.500000000']);
  const back = await set('--enforce-key-caps', 'off', '--max-run-budget', 'none', '--run-ceiling', 'none', '--run-exposure', 'none',
    '--requests-per-minute', 'none', '--tokens-per-minute', 'none');
  assert.deepEqual(back, { ...agreed, enforceKeyCaps: false, maxRunBudget: null, runCeiling: null, runExposure: null,
    requestsPerMinute: null, tokensPerMinute: null });
  assert.equal((await set('--keep-records', '400d'))['keepRecordsDays'], 400);
  assert.equal((await set('--keep-records', 'none'))['keepRecordsDays'], null);
  const rows: readonly (readonly [args: string[], sentence: RegExp])[] = [
    [['--keep-records', '30d'], /--keep-records must be 31d to 36500d, in whole days, or none/],
    [['--keep-records', '800h'], /--keep-records must be 31d/],
    [['--keep-records', 'ever'], /--keep-records/],
    [['--run-ceiling', '-1'], /--run-ceiling needs a value.+ -1 is read as an option\. If it is meant as the value: --run-ceiling=-1/],
    [['--run-ceiling=-1'], /--run-ceiling must be an amount/],
    [['--run-ceiling', '1e3'], /--run-ceiling must be an amount/],
    [['--run-ceiling', '0.0000000001'], /--run-ceiling must be an amount/],
    [['--tokens-per-minute', '0'], /--tokens-per-minute must be a whole number from 1/],
    [['--models', 'a b'], /--models: Models must be 1 to 64 names or patterns/],
    [['--models', 'a,a'], /--models/],
    [['--wrong-base-url', 'on'], /--wrong-base-url must be one of forward, refuse/],
    [['--enforce-key-caps', 'yes'], /--enforce-key-caps must be one of on, off/],
    [[], /needs a setting to change: --plan, --enforce-key-caps.*As they are now: metergate org show ORG$/m],
  ];
  for (const [args, sentence] of rows) {
    const wrong = await run(['org', 'set', 'Policies', ...args]);
    assert.equal(wrong.code, 2, wrong.stderr);
    oneSentence(wrong, sentence);
  }
  assert.match((await run(['org', 'set', 'Policies', '--run-exposure', '12.50'])).stdout, /^--run-exposure +12\.5$/m);
});

test('cap: set answers with its id, set again keeps it, list shows spend and reset, remove is final', async () => {
  // At noon: half a day's spend of half the limit reaches it twelve hours later, so on the evening of a month's last day there is no forecast.
  const noonMs = Date.UTC(2026, 8, 15, 12);
  const given = { nowMs: () => noonMs };
  const at = (args: readonly string[]): Promise<CliResult> => run(args, given);
  const jsonAt = (args: readonly string[]): Promise<unknown> => json(args, given);
  const { id: organization } = await jsonAt(['org', 'create', 'Caps']) as { id: Parameters<Store['callPages']['page']>[0]['organization'] };
  const { id: key, maxRunBudget } = await jsonAt(['key', 'create', '--org', 'Caps', '--max-run-budget', '2']) as { id: string; maxRunBudget: string };
  assert.equal(maxRunBudget, '2.000000000');
  assert.match((await at(['key', 'create', '--org', 'Caps', '--max-run-budget', '2.50'])).stdout, /^max run budget +2\.5 USD$/m);
  assert.match((await at(['key', 'list', '--org', 'Caps'])).stdout, /^ID .* STATE +RUN USD +CREATED[^]*\nkey_\w+ .* live +2 +\d{4}-/);
  assert.equal((await jsonAt(['key', 'list', '--org', 'Caps']) as { maxRunBudget: string }[])[0]?.maxRunBudget, '2.000000000');
  const set = ['cap', 'set', '--org', 'Caps'];
  const made = await jsonAt([...set, '--scope', 'organization', '--window', 'month', '--limit', '100']) as { id: string };
  assert.deepEqual(Object.keys(made), ['id']);
  assert.match(made.id, /^cap_[0-9A-Za-z]{20}$/);
  assert.deepEqual(await jsonAt([...set, '--scope', 'organization', '--window', 'month', '--limit', '0.5', '--pause']), made);
  const ofKey = await jsonAt([...set, '--scope', 'key', '--key', key, '--window', 'lifetime', '--limit', '1']) as { id: string };
  await jsonAt([...set, '--scope', 'project', '--project', 'search', '--window', 'day', '--limit', '0']);
  const record = interruptedRecord({
    id: 'req_1', organization, key, project: 'search', labels: [], labelsDropped: 0, run: null, wire: 'openai', endpoint: 'embeddings',
    method: 'POST', path: '/v1/embeddings', startedAtMs: noonMs, node: 'node_x', transport: 'http', connection: null, session: null,
  } as unknown as Parameters<typeof interruptedRecord>[0]);
  const records = [{ seq: 1, record: { ...record, cost: nanoDollars(250_000_001n) } }];
  await inStore((store) => store.calls.ship({ segment: 'seg_caps', through: 1, records }));
  const listed = await jsonAt(['cap', 'list', '--org', 'Caps']) as Record<string, unknown>[];
  const spend = { spent: '0.250000001', unknownCalls: 1, unpricedCalls: 0, gapCalls: 0, state: 'open' };
  const pacePerDay = '0.500000002';
  assert.deepEqual(listed[0], {
    id: made.id, scope: 'organization', key: null, project: null, person: null, label: null, window: 'month',
    limit: '0.500000000', mode: 'pause', ...spend,
    resetsAt: '2026-10-01T00:00:00.000Z', forecastAt: '2026-09-16T00:00:00.000Z', pacePerDay,
  });
  assert.deepEqual(listed[1], {
    id: ofKey.id, scope: 'key', key, project: null, person: null, label: null, window: 'lifetime',
    limit: '1.000000000', mode: 'refuse', ...spend, state: 'shown',
    resetsAt: null, forecastAt: '2026-09-17T00:00:00.000Z', pacePerDay,
  });
  assert.deepEqual([listed[2]?.['project'], listed[2]?.['limit'], listed[2]?.['spent'], listed.length], ['search', '0.000000000', '0.250000001', 3]);
  const text = (await at(['cap', 'list', '--org', organization])).stdout;
  assert.match(text, /^ID +SCOPE +SUBJECT +WINDOW +SPENT USD +LIMIT USD +UNKNOWN +UNPRICED +GAPS +MODE +STATE +RESETS UTC +FORECAST UTC$/m);
  assert.match(text, /^cap_\w+ +project +search +day .* - +shown only +\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d \d\d:\d\d$/m);
  assert.match(text, /--enforce-key-caps on$/m);
  await jsonAt([...set, '--scope', 'organization', '--window', 'month', '--limit', '0.25', '--pause']);
  await jsonAt(['org', 'set', 'Caps', '--enforce-key-caps', 'on']);
  const states = (await jsonAt(['cap', 'list', '--org', 'Caps']) as { state: string }[]).map(({ state }) => state);
  assert.deepEqual(states, ['reached', 'open', 'shown']);
  const enforced = (await at(['cap', 'list', '--org', 'Caps'])).stdout;
  assert.match(enforced, /^cap_\w+ .* pause +reached +\d{4}-\d\d-\d\d .*\ncap_\w+ .* refuse +open +- .*$/m);
  assert.doesNotMatch(enforced, /--enforce-key-caps/);
  assert.match((await at([...set, '--scope', 'organization', '--window', 'month', '--limit', '0.1'])).stdout, /^state +reached$/m);
  assert.deepEqual(await jsonAt(['cap', 'remove', made.id]), { id: made.id, removed: true });
  const again = await at(['cap', 'remove', made.id]);
  assert.equal(again.code, 1);
  oneSentence(again, /no cap with this id/);
});

test('cap: what cannot be one is one sentence, and no cap is made', async () => {
  await json(['org', 'create', 'Capless']);
  const whole = { '--scope': 'organization', '--window': 'day', '--limit': '1' };
  const rows: readonly (readonly [changes: Record<string, string>, code: number, sentence: RegExp])[] = [
    [{ '--scope': 'run' }, 2, /--scope must be one of organization, key, project/],
    [{ '--window': 'run' }, 2, /--window must be one of day, week, month, year, lifetime/],
    [{ '--limit': '1,5' }, 2, /--limit must be an amount of US dollars such as 2\.50/],
    [{ '--scope': 'key' }, 2, /--scope key needs --key/],
    [{ '--scope': 'project' }, 2, /--scope project needs --project/],
    [{ '--key': 'key_x' }, 2, /--key goes with --scope key only/],
    [{ '--project': 'x' }, 2, /--project goes with --scope project only/],
    [{ '--scope': 'key', '--key': 'key_x' }, 1, /no service key with this id/],
    [{ '--limit': '9999999999' }, 2, /--limit must be an amount of US dollars such as 2\.50, below 9\.2 billion/],
  ];
  for (const [changes, code, sentence] of rows) {
    const refused = await run(['cap', 'set', '--org', 'Capless', ...Object.entries({ ...whole, ...changes }).flat()]);
    assert.equal(refused.code, code, refused.stderr);
    oneSentence(refused, sentence);
  }
  assert.deepEqual(await json(['cap', 'list', '--org', 'Capless']), []);
  assert.equal((await run(['cap', 'list', '--org', 'Capless'])).stdout, 'This organization has no caps.\n');
});

test('key create --for: the key belongs to a member, is listed with them, and nobody else can be named', async () => {
  await json(['org', 'create', 'Personal']);
  const member = ['user', 'create', '--org', 'Personal', '--email', 'ada@example.com', '--role', 'owner'];
  assert.equal((await run(member, { stdin: 'correct horse battery' })).code, 0);
  const made = await json(['key', 'create', '--org', 'Personal', '--for', 'Ada@Example.com', '--models', 'gpt-5*']) as { id: string };
  const [row] = await json(['key', 'list', '--org', 'Personal']) as { id: string; person: string; models: string[] }[];
  assert.deepEqual([row?.id, row?.person, row?.models], [made.id, 'ada@example.com', ['gpt-5*']]);
  const set = await json(['key', 'set', made.id, '--models', 'none']) as { person: string; models: null };
  assert.deepEqual([set.person, set.models], ['ada@example.com', null]);
  const unknown = await run(['key', 'create', '--org', 'Personal', '--for', 'eve@example.com']);
  assert.equal(unknown.code, 1);
  oneSentence(unknown, /There is no member with this email\. .*metergate user invite --org ORG --email EMAIL --role ROLE/);
});

test('cap set and try: for a member and for a label, which are named as they are listed', async () => {
  await json(['org', 'create', 'People']);
  const member = ['user', 'create', '--org', 'People', '--email', 'bob@example.com', '--role', 'owner'];
  assert.equal((await run(member, { stdin: 'correct horse battery' })).code, 0);
  const limits = ['--window', 'month', '--limit', '5'];
  await json(['cap', 'set', '--org', 'People', '--scope', 'person', '--person', 'Bob@Example.com', ...limits]);
  await json(['cap', 'set', '--org', 'People', '--scope', 'label', '--label', 'team:search', ...limits]);
  const listed = await json(['cap', 'list', '--org', 'People']) as Record<string, unknown>[];
  assert.deepEqual(listed.map(({ scope, person, label, state }) => [scope, person, label, state]),
    [['person', 'bob@example.com', null, 'open'], ['label', null, 'team:search', 'open']]);
  const text = (await run(['cap', 'list', '--org', 'People'])).stdout;
  assert.match(text, /^cap_\w+ +person +bob@example\S* +month /m);
  assert.match(text, /^cap_\w+ +label +team:search +month /m);
  const trial = await json(['cap', 'try', '--org', 'People', '--scope', 'label', '--label', 'none yet', ...limits]) as { wouldRefuse: unknown };
  assert.deepEqual(trial.wouldRefuse, { calls: 0, cost: '0.000000000' });
  for (const [code, sentence, ...args] of [
    [1, /There is no member with this email/, '--scope', 'person', '--person', 'eve@example.com'], [2, /--person EMAIL/, '--scope', 'person'],
    [2, /--label/, '--scope', 'person', '--person', 'bob@example.com', '--label', 'x'], [1, /label/, '--scope', 'label', '--label', 'a,b'],
  ] as const) {
    for (const word of ['set', 'try']) {
      const refused = await run(['cap', word, '--org', 'People', ...args, ...limits]);
      assert.equal(refused.code, code, refused.stderr);
      assert.match(refused.stderr, sentence);
    }
  }
});

test('key: the key is shown once, its SHA-256 and 14 characters are kept, revoking says when', async () => {
  const { id: organization } = await json(['org', 'create', 'Keys']) as { id: string };
  const made = await json(['key', 'create', '--org', 'Keys', '--name', 'laptop', '--project', 'search', '--expires', '7d']) as
    { id: string; key: string; prefix: string };
  assert.deepEqual(Object.keys(made), ['id', 'key', 'prefix']);
  assert.match(made.key, /^svc_live_[0-9A-Za-z]{43}$/);
  assert.equal(made.prefix, made.key.slice(0, 14));
  const found = await inStore((store) => store.serviceKeys.findByHash(createHash('sha256').update(made.key).digest('hex')));
  assert.equal(found?.organization, organization);
  const listed = await run(['key', 'list', '--org', organization, '--json']);
  assert.doesNotMatch(listed.stdout, new RegExp(made.key));
  const [row] = listed.json() as { createdAt: string; expiresAt: string }[];
  const { createdAt, expiresAt } = row!;
  assert.deepEqual(row, {
    id: made.id, prefix: made.prefix, name: 'laptop', project: 'search', createdAt, expiresAt, revokedAt: null, maxRunBudget: null,
    models: null, person: null, disabledAt: null, lastUsedAt: null,
  });
  assert.ok(Math.abs(Date.parse(row!.expiresAt) - Date.parse(row!.createdAt) - 7 * 86_400_000) < 60_000);
  const revoked = await json(['key', 'revoke', made.id]) as { revokedAt: string; alreadyRevoked: boolean };
  assert.equal(revoked.alreadyRevoked, false);
  assert.equal(revoked.revokedAt, new Date(revoked.revokedAt).toISOString());
  const again = await json(['key', 'revoke', made.id]);
  assert.deepEqual(again, { ...revoked, alreadyRevoked: true });
  assert.match((await run(['key', 'revoke', made.id])).stdout, /was already revoked/);
  const unknown = await run(['key', 'revoke', 'key_nobody']);
  assert.equal(unknown.code, 1);
  oneSentence(unknown, /no service key with this id/);
});

test('provider: the key comes on standard input without its line end, is sealed as given and never echoed', async () => {
  const { id } = await json(['org', 'create', 'Providers']) as { id: string };
  const canary = 'sk-canary-0123456789';
  for (const args of [['--json'], []]) {
    const result = await run(['provider', 'connect', 'openai', '--org', 'Providers', ...args], { stdin: `${canary}\n` });
    assert.equal(result.code, 0, result.stderr);
    assert.doesNotMatch(result.stdout + result.stderr, /canary/);
    if (args.length > 0) assert.deepEqual(result.json(), { provider: 'openai', organization: id, state: 'connected' });
  }
  const state = await inStore((store) => store.providers.state(id as Parameters<Store['providers']['state']>[0], 'openai'));
  assert.deepEqual(state, { state: 'connected', credential: canary });
  assert.deepEqual(await json(['provider', 'disconnect', 'openai', '--org', id]), { provider: 'openai', organization: id, state: 'missing' });
  oneSentence(await run(['provider', 'disconnect', 'openai', '--org', id]), /No OpenAI key is connected/);
  for (const stdin of ['', '\n', `${canary} two\nlines\n`]) {
    const refused = await run(['provider', 'connect', 'openai', '--org', id], { stdin });
    assert.equal(refused.code, 1);
    assert.equal(refused.stdout, '');
    assert.doesNotMatch(refused.stderr, /canary/);
    oneSentence(refused, /key/);
  }
});

test('upstream: declared ones start disabled, an empty credential means none, plain http needs the allow list', async () => {
  const { id } = await json(['org', 'create', 'Upstreams']) as { id: string };
  const declared = await json(['upstream', 'declare', '--org', id, '--url', 'https://llm.example.com/base/v1/'], { stdin: 'canary-credential\n' });
  const { version } = declared as { version: number };
  const shown = { organization: id, version, url: 'https://llm.example.com/base', enabled: false, hasCredential: true, state: 'connected' };
  assert.deepEqual(declared, shown);
  assert.deepEqual(await json(['upstream', 'enable', '--org', id]), { ...shown, enabled: true });
  assert.deepEqual(await json(['upstream', 'show', '--org', 'Upstreams']), { ...shown, enabled: true });
  assert.deepEqual(await json(['upstream', 'disable', '--org', id]), shown);
  const plain = ['upstream', 'declare', '--org', id, '--url', 'http://127.0.0.1:9000', '--json'];
  const refused = await run(plain);
  assert.equal(refused.code, 1);
  assert.equal((refused.json() as { error: { code: string } }).error.code, 'invalid_upstream_url');
  const allowed = await run(plain, { env: { SVC_UPSTREAM_ALLOW: '127.0.0.0/8' } });
  const again = allowed.json() as { version: number };
  assert.deepEqual(again, { ...shown, version: again.version, url: 'http://127.0.0.1:9000', hasCredential: false });
  assert.ok(again.version > version);
  assert.deepEqual(await json(['upstream', 'remove', '--org', id]), { organization: id, removed: true });
  const absent = await run(['upstream', 'show', '--org', id]);
  assert.equal(absent.code, 1);
  oneSentence(absent, /Those with a name: metergate upstream list --org ORG\. Declare one with: metergate upstream declare --org ORG --url URL$/m);
});

test('calls list: records have every field (rules: Record), newest first, from since to before until', async () => {
  const { id } = await json(['org', 'create', 'Calls']) as { id: string };
  const startedAtMs = [Date.UTC(2026, 8, 1), Date.UTC(2026, 8, 2), Date.UTC(2026, 8, 3)];
  await inStore((store) => store.calls.ship({
    segment: 'seg_commands', through: 3,
    records: startedAtMs.map((at, index) => ({
      seq: index + 1,
      record: interruptedRecord({
        id: `req_${String(index).padStart(32, '0')}`, organization: id, key: 'key_x', project: '\u001b[31mred', labels: ['a'], labelsDropped: 0,
        run: null, wire: 'openai', endpoint: 'chat_completions', method: 'POST', path: '/v1/chat/completions', startedAtMs: at, node: 'node_x',
        transport: 'http',
        connection: null,
        session: null,
      } as unknown as Parameters<typeof interruptedRecord>[0]),
    })),
  }));
  const list = ['calls', 'list', '--org', 'Calls'];
  const starts = async (args: readonly string[]): Promise<string[]> =>
    (await json([...list, ...args]) as { startedAt: string }[]).map(({ startedAt }) => startedAt.slice(0, 10));
  assert.deepEqual(await starts([]), ['2026-09-03', '2026-09-02', '2026-09-01']);
  assert.deepEqual(await starts(['--since', '2026-09-02T00:00:00Z', '--until', '2026-09-03']), ['2026-09-02']);
  assert.deepEqual(await starts(['--limit', '1']), ['2026-09-03']);
  assert.deepEqual(await starts(['--run', 'none-such']), []);
  const table = await run(list);
  assert.match(table.stdout, /^STARTED +CALL +STATUS +MODEL/);
  assert.match(table.stdout, /interrupted +- +\? +\? +\? /);
  assert.match(table.stdout, /^Usage unknown \(\?\): 3 calls\. Why: gateway ended during the call\.$/m);
  assert.doesNotMatch(table.stdout, /\u001b/);
});

test("prices: the list's price without a store, the operator's before it once loaded, a bad file changes nothing", async () => {
  const elsewhere = await runInProcess(['prices', 'show', 'gpt-4o', '--json'], productEnv({ SVC_DATA_DIR: join(root, 'nowhere') }));
  assert.equal(elsewhere.code, 0, elsewhere.stderr);
  assert.equal((elsewhere.json() as { overlay: null }).overlay, null);
  const file = join(root, 'prices.json');
  writeFileSync(file, JSON.stringify({ prices: [{ provider: 'openai', model: 'gpt-4o', input: '7', output: '8' }] }));
  const asked = await run(['prices', 'load', file]);
  assert.equal(asked.code, 1);
  assert.match(asked.stderr, /\nopenai +gpt-4o +2\.5 -> 7 +1\.25 -> - +10 -> 8\n/);
  assert.match(asked.stderr, /1 listed model changes its price\. Nothing was loaded\. To load it: metergate prices load FILE --yes\n$/);
  assert.equal((await json(['prices', 'show', 'gpt-4o']) as { overlay: null }).overlay, null);
  const askedForJson = await run(['prices', 'load', file, '--json']);
  assert.equal((askedForJson.json() as { error: { code: string } }).error.code, 'not_confirmed');
  assert.match(askedForJson.stderr, /\nopenai +gpt-4o +2\.5 -> 7 +1\.25 -> - +10 -> 8\n/);
  const loaded = await json(['prices', 'load', file, '--yes']) as { overlay: string };
  assert.deepEqual(loaded, { prices: 1, overlay: loaded.overlay });
  assert.match(loaded.overlay, /^overlay\/[0-9a-f]{16}$/);
  writeFileSync(file, '{"prices": [{"provider": "openai"}]}');
  const refused = await run(['prices', 'load', file]);
  assert.equal(refused.code, 1);
  oneSentence(refused, /prices\[0\]/);
  const shown = await json(['prices', 'show', 'gpt-4o']) as { overlay: string; prices: { provider: string; inForce: boolean; input: string }[] };
  assert.equal(shown.overlay, loaded.overlay);
  assert.equal(Number(shown.prices.find((each) => each.provider === 'openai' && each.inForce)?.input), 7);
  writeFileSync(file, '[]');
  oneSentence(await run(['prices', 'load', file]), /: The file must be an object/);
  writeFileSync(file, '{"prices":[]}');
  assert.match((await run(['prices', 'load', file, '--yes'])).stdout, /^Your own prices are removed/);
  oneSentence(await run(['prices', 'load', join(root, 'absent.json')]), /absent\.json does not exist/);
  assert.deepEqual((await json(['prices', 'show', 'no-such-model-at-all']) as { prices: unknown[] }).prices, []);
});

test('doctor: marks what is fine and what is not, and fails with exit 1 on a taken port', async () => {
  const well = await run(['doctor', '--json']);
  assert.equal(well.code, 0, well.stdout);
  const report = well.json() as { ok: boolean; store: { engine: string }; checks: { name: string; state: string }[] };
  assert.deepEqual([report.ok, report.store.engine], [true, 'sqlite']);
  const names = ['runtime', 'settings', 'data directory', 'master key', 'store', 'figures', 'prices', 'gateway port', 'platform port', 'ops port'];
  assert.deepEqual(report.checks.slice(0, 10).map(({ name }) => name), names);
  const foreign = createServer((socket) => socket.end('no http\n'));
  foreign.listen(0, '127.0.0.1');
  await once(foreign, 'listening');
  const { port } = foreign.address() as { port: number };
  const taken = await run(['doctor'], { env: { SVC_GATEWAY_PORT: String(port) } });
  foreign.close();
  assert.equal(taken.code, 1);
  assert.match(taken.stdout, new RegExp(`FAIL  gateway port +${port} is taken`));
});

test('doctor distinguishes the sandbox\'s placeholder from a key, and names both providers if no key is connected', async () => {
  const { id } = await json(['org', 'create', 'Sandboxed']) as { id: Parameters<Store['providers']['connect']>[0] };
  await inStore((store) => store.providers.connect(id, 'openai', sandboxCredential));
  const line = (text: string): string => {
    assert.ok(text.split('\n').every((each) => each.length <= 120), text);
    return text.replaceAll(/\n {24}/g, ' ').split('\n').find((each) => each.includes('Sandboxed:'))!;
  };
  const placed = line((await run(['doctor'])).stdout);
  assert.match(placed, /^warn .* OpenAI sandbox placeholder, Anthropic missing\./);
  assert.match(placed, /metergate provider connect openai --org ORG or: metergate provider connect anthropic --org ORG$/);
  const tested = await run(['provider', 'test', 'openai', '--org', id, '--json']);
  assert.deepEqual([tested.code, (tested.json() as { error: { code: string } }).error.code], [1, 'sandbox_placeholder']);
  oneSentence(tested, /sandbox's placeholder is connected, not a key of OpenAI.* metergate provider connect openai\|anthropic --org ORG$/m);
  await inStore((store) => store.providers.connect(id, 'anthropic', sandboxCredential));
  assert.match(line((await run(['doctor'])).stdout), /^ ok  .* OpenAI sandbox placeholder, Anthropic sandbox placeholder\.$/);
  await inStore((store) => store.providers.connect(id, 'openai', 'sk-real'));
  assert.match(line((await run(['doctor'])).stdout), /^ ok  .* OpenAI connected, Anthropic sandbox placeholder\.$/);
});

test('wrong usage ends with 2 and one sentence; with --json the one document says it too', async () => {
  const plain = await run(['org', 'create', 'x', '--plna', 'free']);
  assert.deepEqual([plain.code, plain.stdout], [2, '']);
  oneSentence(plain, /no option --plna\. Did you mean --plan\?/);
  const asJson = await run(['org', 'create', '--json']);
  assert.deepEqual(asJson.json(), { error: { code: 'usage', message: 'metergate org create needs NAME.' } });
  assert.equal(asJson.stderr, 'metergate: org create needs NAME.\n');
  assert.equal(asJson.code, 2);
});

test('bad settings and a store that is not there are one sentence, exit 1, and nothing is written', async () => {
  const nowhere = join(root, 'untouched');
  mkdirSync(nowhere);
  const someKey = Buffer.alloc(32).toString('base64');
  const rows: readonly (readonly [env: Record<string, string>, sentence: RegExp])[] = [
    [{}, /no store at .*metergate\.db yet\. Start it once with: npx --no-install metergate start /],
    [{ SVC_GATWAY_PORT: '1' }, /Unknown variable SVC_GATWAY_PORT/],
    [{ SVC_MASTER_KEY: 'canary' }, /SVC_MASTER_KEY must be 32 bytes/],
    [{ SVC_DATABASE_URL: 'postgres://u:canary@127.0.0.1:1/x' }, /SVC_MASTER_KEY must be set/],
    [{ SVC_DATABASE_URL: 'postgres://u:canary@127.0.0.1:1/x', SVC_MASTER_KEY: someKey }, /127\.0\.0\.1:1\/x cannot be reached/],
  ];
  for (const [env, sentence] of rows) {
    const result = await runInProcess(['org', 'create', 'x'], productEnv({ SVC_DATA_DIR: join(nowhere, 'data'), ...env }));
    assert.equal(result.code, 1, result.stderr);
    oneSentence(result, sentence);
    assert.doesNotMatch(result.stderr, /canary/);
  }
  assert.deepEqual(readdirSync(nowhere), []);
});

test('a master key that is not the store\'s is refused by name, with exit 1', async () => {
  const other = Buffer.alloc(32, 1).toString('base64');
  const result = await run(['org', 'list', '--json'], { env: { SVC_MASTER_KEY: other } });
  assert.equal(result.code, 1);
  assert.equal((result.json() as { error: { code: string } }).error.code, 'wrong_master_key');
  assert.doesNotMatch(result.stdout + result.stderr, new RegExp(other.slice(0, 10)));
});

test('a word in the wrong place is not repeated as it is: no key where a name belongs, and nothing that acts on a terminal', async () => {
  await json(['org', 'create', 'Words']);
  const key = `svc_live_${'Q7'.repeat(20)}`;
  for (const word of ['enable', 'disable', 'remove', 'show']) {
    for (const name of [key, 'a\nb', 'x'.repeat(3_000)]) {
      const refused = await run(['upstream', word, '--org', 'Words', '--name', name, '--json']);
      assert.equal(refused.code, 1);
      oneSentence(refused, /has not declared an upstream of that name\./);
      assert.ok(!`${refused.stdout}${refused.stderr}`.includes(name.slice(0, 12)));
    }
    oneSentence(await run(['upstream', word, '--org', 'Words', '--name', 'azure']), /an upstream named "azure"\./);
  }
  const file = 'a\n\u001b[2J';
  for (const args of [
    ['reconcile', '--org', 'Words', '--provider', 'openai', file], ['usage', '--org', 'Words', '--by', 'model', '--prices', file],
    ['receipts', 'verify', file], ['month', 'verify', file], ['prices', 'load', file],
    ['usage', '--org', 'Words', '--by', 'model', '--csv', join('nowhere', file)],
  ]) oneSentence(await run(args), /\/a\?\?\[2J /);
});
