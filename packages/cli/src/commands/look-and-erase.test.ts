/**
 * Settings shown as they are set, members, Baselines, the audit trail; erasing asks a person at a terminal for the name, and leaves figures
 * that are read only by id. Rule 23; rules: Interfaces.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import { interruptedRecord } from '@metergate/core/record/call-record.ts';
import type { Store } from '@metergate/store/store.ts';
import { oneSentence, operator, ownStore, type OwnStore } from '../test-support/own-store.ts';

let own: OwnStore;
before(async () => {
  own = await ownStore();
});
after(() => own?.end());

const run: OwnStore['run'] = (...given) => own.run(...given);
const json: OwnStore['json'] = (...given) => own.json(...given);
const inStore: OwnStore['inStore'] = (work) => own.inStore(work);

test('org show: the settings in the form that org set takes, and each is accepted as shown', async () => {
  const { id } = await json(['org', 'create', 'Shown', '--plan', 'enterprise']) as { id: string };
  const given = ['--enforce-key-caps', 'on', '--drain', '9', '--max-run-budget', '5.5', '--fallback-price', '2.5/10',
    '--requests-per-minute', '9000'];
  const set = await json(['org', 'set', id, ...given]);
  assert.deepEqual(await json(['org', 'show', 'Shown']), set);
  const text = (await run(['org', 'show', 'Shown'])).stdout;
  const shown = [...text.matchAll(/^(--\S+) +(\S+)$/gm)].map(([, name, value]) => [name!, value!]);
  assert.deepEqual(shown, [
    ['--plan', 'enterprise'], ['--enforce-key-caps', 'on'], ['--drain', '9'], ['--max-run-budget', '5.5'], ['--run-ceiling', 'none'],
    ['--run-exposure', 'none'], ['--fallback-price', '2.5/10'],
    ['--unmetered', 'deferred=allow,unreported=allow,handed-out=allow,hidden=allow'], ['--wrong-base-url', 'forward'], ['--models', 'none'],
    ['--follow', 'off'], ['--own-keys', 'none'],
    ['--requests-per-minute', '9000'], ['--tokens-per-minute', 'none'],
    ['--keep-records', 'none'],
  ]);
  assert.deepEqual(await json(['org', 'set', id, ...shown.flat()]), set);
});

test('org erase needs --yes without a terminal; its figures are read by its id, and nothing can be changed', async () => {
  const { id } = await json(['org', 'create', 'CANARY-erased']) as { id: Parameters<Store['callPages']['page']>[0]['organization'] };
  const cap = await json(['cap', 'set', '--org', id, '--scope', 'organization', '--window', 'lifetime', '--limit', '1']) as { id: string };
  const record = interruptedRecord({
    id: 'req_erased', organization: id, key: 'key_x', project: 'CANARY-project', labels: ['CANARY-label'], labelsDropped: 0, run: null,
    wire: 'openai', endpoint: 'models', method: 'GET', path: '/v1/models', startedAtMs: Date.now(), node: 'node_x',
    transport: 'http', connection: null, session: null,
  } as unknown as Parameters<typeof interruptedRecord>[0]);
  const records = [{ seq: 1, record: { ...record, cost: nanoDollars(250_000_000n) } }];
  await inStore((store) => store.calls.ship({ segment: 'seg_erased', through: 1, records }));
  assert.equal((await run(['org', 'erase', 'CANARY-erased'])).code, 2);
  const erased = await run(['org', 'erase', 'CANARY-erased', '--yes']);
  assert.equal(erased.code, 0, erased.stderr);
  assert.match(erased.stdout, new RegExp(`^${id} is erased\\. .* usage --org ${id} `));

  const [call] = await json(['calls', 'list', '--org', id]) as Record<string, unknown>[];
  assert.deepEqual([call!['cost'], call!['project'], call!['labels']], ['0.250000000', null, []]);
  const [day] = await json(['usage', '--org', id, '--by', 'day']) as Record<string, unknown>[];
  assert.deepEqual([day!['calls'], day!['cost']], [1, '0.250000000']);
  const [kept] = await json(['cap', 'list', '--org', id]) as Record<string, unknown>[];
  assert.deepEqual([kept!['id'], kept!['spent'], kept!['limit']], [cap.id, '0.250000000', '1.000000000']);
  const trail = await json(['audit', 'list', '--org', id]) as Record<string, unknown>[];
  assert.deepEqual(trail.map(({ action }) => action), ['eraseOrganization', 'setCap', 'createOrganization']);
  assert.ok(!JSON.stringify([call, day, kept, trail]).includes('CANARY'));
  const changes = [
    ['org', 'set', id, '--plan', 'free'], ['org', 'erase', id, '--yes'], ['key', 'create', '--org', id], ['cap', 'remove', cap.id],
    ['cap', 'set', '--org', id, '--scope', 'organization', '--window', 'day', '--limit', '1'], ['user', 'invite', '--org', id, '--role', 'owner'],
    ['calls', 'list', '--org', 'CANARY-erased'], ['calls', 'list', '--org', `erased ${id}`],
  ];
  for (const args of changes) {
    const refused = await run(args);
    assert.equal(refused.code, 1, args.join(' '));
    oneSentence(refused, /There is no (?:such organization|cap)/);
  }
});

test('from the first step of an erasure on no command shows a word of the organization, though none is erased yet', async () => {
  const { id } = await json(['org', 'create', 'CANARY-begun']) as { id: Parameters<Store['erasure']['begin']>[0] };
  const monthNamed = (ms: number): string => new Date(ms).toISOString().slice(0, 7);
  const nowMs = Date.now();
  const lastMs = Date.UTC(new Date(nowMs).getUTCFullYear(), new Date(nowMs).getUTCMonth() - 1, 15);
  const [last, now] = [monthNamed(lastMs), monthNamed(nowMs)];
  const call = 'req_00000000000000000000000000c0ffee';
  const records = [lastMs, nowMs].map((startedAtMs, index) => ({ seq: index + 1, record: {
    ...interruptedRecord({
      id: index === 0 ? call : 'req_00000000000000000000000000c0ffef', organization: id, key: 'key_x', project: 'CANARY-project',
      labels: ['CANARY-label', 'team:CANARY'], labelsDropped: 0, run: 'CANARY-run', wire: 'openai', endpoint: 'chat.completions', method: 'POST',
      path: '/v1/CANARY', startedAtMs, node: 'node_x', transport: 'http', connection: null, session: 'CANARY-session',
    } as unknown as Parameters<typeof interruptedRecord>[0]),
    model: 'CANARY-model', requestedModel: 'CANARY-asked', finishReason: 'CANARY', cost: nanoDollars(250_000_000n),
  } }));
  await inStore((store) => store.calls.ship({ segment: 'seg_begun', through: 2, records }));
  writeFileSync(join(own.directory, 'rules.yaml'), 'allocation:\n  rules:\n    - byLabel: team:*\n');
  await json(['month', 'close', last, '--org', id]);
  const of = ['--org', id];
  const out = (file: string): string[] => ['--out', file];
  const dimensions = ['model', 'project', 'label', 'run', 'session', 'upstream', 'day,label', 'label,model', 'project,run'];
  const words = [['--label', 'CANARY-label'], ['--project', 'CANARY-project'], ['--model', 'CANARY-model'], ['--run', 'CANARY-run']];
  const commands = [
    ['calls', 'list', ...of], ['calls', 'show', call], ['calls', 'list', ...of, '--json'], ['calls', 'show', call, '--json'],
    ...dimensions.map((by) => ['usage', ...of, '--by', by, '--month', now]), ['usage', ...of, '--by', 'model', '--month', now, '--prices', 'list'],
    ['usage', ...of, '--by', 'model', '--month', last, '--adjusted'], ['usage', ...of, '--by', 'label,model', '--month', last, '--csv', 'usage.csv'],
    ...['jsonl', 'csv', 'focus', 'parquet'].map((format) => ['export', ...of, '--format', format, '--month', now, ...out(`calls.${format}`)]),
    ['receipts', 'export', ...of, ...out('receipts.jsonl')], ['receipts', 'show', call], ['month', 'show', last, ...of], ['month', 'list', ...of],
    ['month', 'export', last, ...of, ...out('month.jsonl')], ['statement', '--month', now, ...of, ...out('now.html')],
    ['statement', '--month', last, ...of, ...out('last.html')], ['allocation', 'try', 'rules.yaml', ...of, '--month', now, '--json'],
    ['audit', 'list', ...of], ['run', 'list', ...of], ['correction', 'list', ...of], ['cap', 'list', ...of], ['refusals', ...of],
  ];
  const told = async (args: readonly string[]) => {
    const files = args.filter((arg) => /^\w+\.(?:jsonl|csv|focus|parquet|html)$/.test(arg)).map((name) => join(own.directory, name));
    const { code, stdout, stderr } = await run(args);
    return { code, text: [stdout, stderr, ...files.filter(existsSync).map((file) => readFileSync(file, 'latin1'))].join('\n') };
  };
  const before = await Promise.all(commands.map(async (args) => (await told(args)).text.includes('CANARY')));
  assert.ok(before.filter(Boolean).length > 20, 'there were words to show');
  assert.ok(!('refused' in await inStore((store) => store.erasure.begin(id))));
  for (const args of commands) {
    const { code, text } = await told(args);
    assert.doesNotMatch(text, /CANARY/i, args.join(' '));
    assert.ok(code === 0 || !text.includes(' at '), args.join(' '));
  }
  for (const word of words) {
    assert.deepEqual(await json(['calls', 'list', ...of, ...word]), [], word.join(' '));
    assert.deepEqual(await json(['usage', ...of, '--by', 'day', '--month', now, ...word]), [], word.join(' '));
  }
  const [all] = await json(['usage', ...of, '--by', 'label', '--month', now]) as Record<string, unknown>[];
  assert.deepEqual([all!['label'], all!['calls'], all!['cost']], [null, 1, '0.250000000']);
});

test('token revoke takes just the id; with --org only a token of that organization', async () => {
  for (const name of ['Tokens', 'Elsewhere']) await json(['org', 'create', name]);
  const made = async () => (await json(['token', 'create', '--org', 'Tokens', '--role', 'viewer']) as { id: string }).id;
  const [alone, within] = [await made(), await made()];
  const elsewhere = await run(['token', 'revoke', alone, '--org', 'Elsewhere']);
  oneSentence(elsewhere, /no such management token\. List them with: metergate token list --org ORG$/m);
  const revoked = await json(['token', 'revoke', alone]) as { revokedAt: string };
  assert.equal(revoked.revokedAt, new Date(revoked.revokedAt).toISOString());
  assert.deepEqual(await json(['token', 'revoke', alone]), revoked);
  await json(['token', 'revoke', within, '--org', 'Tokens']);
  assert.equal((await run(['token', 'revoke', 'tok_nobody'])).code, 1);
});

test('user list: members and open invitations; a link leads to the running platform, or to the public address if one is set', async () => {
  const { id } = await json(['org', 'create', 'Users']) as { id: string };
  const nobody = (await run(['user', 'list', '--org', 'Users'])).stdout;
  assert.match(nobody, /^Nobody belongs to this organization\. Invite someone with: metergate user invite --org Users /);
  const who = ['--org', id, '--email', 'ada@example.com', '--role', 'admin'];
  const none = await run(['user', 'create', ...who]);
  assert.equal(none.code, 1);
  oneSentence(none, /password is empty\. Give it on standard input\.$/m);
  const member = await json(['user', 'create', ...who], { stdin: ['correct horse battery\n'] }) as { id: string };
  const invite = async (env: Record<string, string> = {}): Promise<{ id: string; link: string }> =>
    await json(['user', 'invite', '--org', id, '--role', 'owner'], { env }) as { id: string; link: string };
  const open = await invite({ SVC_PLATFORM_PORT: '4321' });
  assert.match(open.link, /^http:\/\/127\.0\.0\.1:4321\/join#/);
  await inStore((store) => store.platformAddress.remember('http://127.0.0.1:18081'));
  assert.match((await invite({ SVC_PLATFORM_PORT: '4321' })).link, /^http:\/\/127\.0\.0\.1:18081\/join#/);
  assert.match((await invite({ SVC_PUBLIC_PLATFORM_URL: 'https://meter.example' })).link, /^https:\/\/meter\.example\/join#/);
  const listed = await json(['user', 'list', '--org', 'Users']) as Record<string, unknown>[];
  assert.deepEqual(listed.slice(0, 2).map((each) => [each['id'], each['email'], each['role'], each['state'], each['expiresAt'] === null]),
    [[member.id, 'ada@example.com', 'admin', 'member', true], [open.id, null, 'owner', 'invited', false]]);
  assert.equal(listed.length, 4);
  assert.ok(!JSON.stringify(listed).includes(open.link.split('#')[1]!));
  assert.match((await run(['user', 'list', '--org', 'Users'])).stdout, /^inv_\w+ +whoever has the link +owner +invited /m);
});

test('baseline list: the current one first; for an unknown id it says where to find ids', async () => {
  await json(['org', 'create', 'Tapped']);
  assert.match((await run(['baseline', 'list', '--org', 'Tapped'])).stdout, /^This organization has no Baseline\. Make one with: /);
  const made = await json(['baseline', 'create', '--org', 'Tapped']) as { id: string; prefix: string };
  const [listed, ...more] = await json(['baseline', 'list', '--org', 'Tapped']) as Record<string, unknown>[];
  assert.deepEqual([listed!['id'], listed!['state'], listed!['prefix'], more], [made.id, 'waiting', made.prefix, []]);
  assert.match((await run(['baseline', 'list', '--org', 'Tapped'])).stdout, new RegExp(`^${made.id} +waiting +${made.prefix}…`, 'm'));
  const unknown = await run(['baseline', 'show', 'nope']);
  assert.equal(unknown.code, 1);
  oneSentence(unknown, /no Baseline with this id\. List them with: metergate baseline list --org ORG$/m);
});

test('audit list: who changed what in the organization, newest first, under the names that HTTP has; the product\'s own without --org', async () => {
  const { id } = await json(['org', 'create', 'Audited']) as { id: string };
  const cap = await json(['cap', 'set', '--org', 'Audited', '--scope', 'organization', '--window', 'day', '--limit', '5']) as { id: string };
  await json(['provider', 'connect', 'openai', '--org', id], { stdin: ['sk-canary-0123456789'] });
  await json(['cap', 'remove', cap.id]);
  const list = (...args: string[]) => json(['audit', 'list', ...args]) as Promise<Record<string, unknown>[]>;
  const rows = await list('--org', 'Audited');
  assert.deepEqual(rows.map(({ organization, action, subject }) => [organization, action, subject]),
    [[id, 'removeCap', cap.id], [id, 'connectProvider', 'openai'], [id, 'setCap', cap.id], [id, 'createOrganization', id]]);
  const who = { kind: 'operator', id: null, name: operator };
  for (const { actor, at } of rows) assert.deepEqual([actor, at], [who, new Date(String(at)).toISOString()]);
  assert.deepEqual(rows[2]!['detail'], { scope: 'organization', window: 'day', limit: '5' });
  assert.deepEqual(await list('--org', id, '--limit', '1'), rows.slice(0, 1));
  assert.deepEqual(await list('--org', id, '--since', String(rows[0]!['at']), '--limit', '1'), rows.slice(0, 1));
  assert.deepEqual(await list('--org', id, '--since', '2999-01-01'), []);
  assert.deepEqual(await list('--org', id, '--subject', cap.id), [rows[0], rows[2]]);
  const text = (await run(['audit', 'list', '--org', 'Audited'])).stdout;
  assert.match(text, /^WHEN +WHO +WHAT +SUBJECT +WITH$/m);
  assert.match(text, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ +operator \S+ +setCap +cap_\w+ +scope=organization window=day limit=5/m);
  assert.ok(text.split('\n').every((line) => line.length <= 120) && !text.includes('canary'), text);
  const file = join(own.directory, 'prices.json');
  writeFileSync(file, '{"prices":[]}');
  await json(['prices', 'load', file]);
  assert.deepEqual((await list()).map(({ organization, action }) => [organization, action]), [[null, 'loadPrices']]);
});

test('at a terminal org erase asks for the name again; anything else erases nothing and says so', async () => {
  const { id } = await json(['org', 'create', 'Acme Ltd']) as { id: string };
  const there = async (): Promise<boolean> => (await json(['org', 'list']) as { id: string }[]).some((each) => each.id === id);
  for (const stdin of [['acme ltd\n'], ['\n'], [], ['yes\n'], ['Acme Ltd \n']]) {
    const { code, stdout, stderr } = await run(['org', 'erase', 'Acme Ltd'], { stdin, isTerminal: true });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /words of Acme Ltd are destroyed for good[^]*Type its name to erase it: metergate: What was typed is not the name/);
  }
  assert.equal(await there(), true);
  const erased = await run(['org', 'erase', id], { stdin: ['Ac', 'me Ltd\r\n'], isTerminal: true });
  assert.deepEqual([erased.code, await there()], [0, false], erased.stderr);
  await json(['org', 'create', 'Other']);
  const asked = await run(['org', 'erase', 'Other', '--json', '--yes'], { stdin: ['no\n'], isTerminal: true });
  assert.deepEqual([asked.code, asked.stderr, asked.read], [0, '', false], 'a program is not asked');
});
