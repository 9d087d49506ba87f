/**
 * `apply` and `export-config` as commands. A plan before a change, at a terminal and without; every problem of a file with its line; secrets
 * on a terminal or in a file only for its owner; exit codes; an export as text can be applied. Decision 76.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { operator, ownStore, type OwnStore } from '../test-support/own-store.ts';
import { readYaml } from './yaml-document.ts';

let place: OwnStore;
before(async () => {
  place = await ownStore();
  await place.json(['org', 'create', 'acme']);
});
after(() => place.end());

const file = (text: string, name = 'org.yaml'): string => {
  writeFileSync(join(place.directory, name), text);
  return name;
};
const exported = async (): Promise<string> => (await place.run(['export-config', '--org', 'acme'])).stdout;
const some = `
organization: acme
settings: { maxRunBudget: 2.50, enforceKeyCaps: true }
keys:
  - name: ci
    project: build
caps:
  - { scope: organization, window: month, limit: 100, alerts: [80] }
  - { scope: key, key: ci, window: day, limit: "0.000000001" }
webhooks:
  - url: https://hooks.example.com/x
`;

test('off a terminal: the plan by --dry-run, then --yes and a file for secrets; a second time there is nothing to do', async () => {
  const path = file(some);
  const dry = await place.run(['apply', '-f', path, '--dry-run']);
  assert.equal(dry.code, 0, dry.stderr);
  for (const line of [
    /^change +settings +- +maxRunBudget +none +2\.5$/m, /^create +key +ci +project +none +build$/m, /^create +cap +key ci day +limit/m,
    /^4 to create, 1 to change, 0 to remove\.$/m,
  ]) assert.match(dry.stdout, line);
  const before = await exported();
  const unsaid = await place.run(['apply', '--file', path, '--yes']);
  assert.deepEqual([unsaid.code, unsaid.stdout], [1, '']);
  assert.match(unsaid.stderr, /2 keys and webhooks would be made.*--secrets FILE/);
  const unasked = await place.run(['apply', '-f', path, '--secrets', 'made.jsonl']);
  assert.deepEqual([unasked.code, /--yes/.test(unasked.stderr)], [1, true]);
  assert.equal(await exported(), before);
  const done = await place.json(['apply', '-f', path, '--yes', '--secrets', 'made.jsonl']) as { applied: boolean; changes: unknown[] };
  assert.deepEqual([done.applied, done.changes.length], [true, 5]);
  const made = join(place.directory, 'made.jsonl');
  assert.equal(statSync(made).mode & 0o777, 0o600);
  const secrets = readFileSync(made, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as { kind: string; name: string; secret: string });
  assert.deepEqual(secrets.map(({ kind, name, secret }) => [kind, name, secret.slice(0, 6)]),
    [['key', 'ci', 'svc_li'], ['webhook', 'https://hooks.example.com/x', 'whsec_']]);
  assert.ok(secrets.every(({ secret }) => !JSON.stringify(done).includes(secret)));
  const again = await place.run(['apply', '-f', path]);
  assert.deepEqual([again.code, again.stdout, again.stderr], [0, 'Nothing to do.\n', '']);
});

test('applying an export changes nothing, and the export holds no secret; as JSON too', async () => {
  const text = await exported();
  assert.doesNotMatch(text, /svc_live_|whsec_/);
  assert.match(text, /limit: "100"/);
  for (const [name, content] of [['text.yaml', text], ['same.json', JSON.stringify(await place.json(['export-config', '--org', 'acme']))]] as const) {
    const { code, stdout } = await place.run(['apply', '-f', file(content, name), '--prune']);
    assert.deepEqual([code, stdout], [0, 'Nothing to do.\n'], name);
  }
});

test('at a terminal the plan is shown and needs a confirmation; no means no; secrets are shown there', async () => {
  const path = file('organization: acme\nkeys: [{ name: typed }]\n');
  const no = await place.run(['apply', '-f', path], { isTerminal: true, stdin: ['no\n'] });
  assert.deepEqual([no.code, no.stdout], [1, '']);
  assert.match(no.stderr, /create +key +typed[\s\S]*Apply this to acme\?[\s\S]*Nothing was changed/);
  const yes = await place.run(['apply', '-f', path], { isTerminal: true, stdin: ['yes\n'] });
  assert.equal(yes.code, 0, yes.stderr);
  assert.match(yes.stdout, /^key typed \(key_\w+\): svc_live_\w{43}\nKeep it now[\s\S]*All of it is done\.\n$/);
});

test('every problem is named with its line and field, nothing is changed, and the exit code is 1', async () => {
  const before = await exported();
  const bad = file(`organization: acme
settings:
  drainSeconds: -1
  colour: red
keys:
  - name: one
  - project: p
caps:
  - scope: key
    key: nobody
    window: day
    limit: 1e3
`);
  const { code, stdout, stderr } = await place.run(['apply', '-f', bad, '--yes']);
  assert.deepEqual([code, stdout], [1, '']);
  for (const line of [
    /has 4 problems, and nothing was changed:/, /\n  line 3: settings\.drainSeconds: The drain time/,
    /\n  line 4: settings\.colour: There is no such field here/, /\n  line 7: keys\[1\]: A key needs a name, or an id\./,
    /\n  line 12: caps\[0\]\.limit: The limit of a cap must be/,
  ]) assert.match(stderr, line);
  const json = await place.run(['apply', '-f', bad, '--yes', '--json']);
  assert.equal((JSON.parse(json.stdout) as { error: { code: string } }).error.code, 'invalid_configuration');
  assert.equal(await exported(), before);
  for (const [text, sentence] of [
    ['a: [1', /line 1: /], ['a: 1\na: 2', /line 2: Map keys must be unique/], ['a: &x 1\nb: *x', /line 2: References of one part/],
    ['[1]', /must be a map of sections/],
    ['', /must be a map of sections/], ['keys: []', /names no organization/],
    ['organization: nobody', /line 1: organization: There is no such organization/],
    ['--- 1\n--- 2', /multiple documents/], ['a: !!js/function x', /line 1: /], [`${'['.repeat(200_000)}`, /problem/],
  ] as const) {
    const found = await place.run(['apply', '-f', file(text), '--yes']);
    assert.equal(found.code, 1, text.slice(0, 40));
    assert.match(found.stderr, sentence);
  }
});

test('a file that is not there, or no file, or a secrets file that is: a sentence, and nothing is changed', async () => {
  assert.match((await place.run(['apply', '-f', 'nowhere.yaml'])).stderr, /does not exist/);
  const none = await place.run(['apply']);
  assert.deepEqual([none.code, /needs --file FILE/.test(none.stderr)], [2, true]);
  assert.equal((await place.run(['apply', '-x', 'y'])).code, 2);
  const before = await exported();
  file('', 'there.jsonl');
  const there = await place.run(['apply', '-f', file('organization: acme\nkeys: [{ name: third }]\n'), '--yes', '--secrets', 'there.jsonl']);
  assert.deepEqual([there.code, /exists already/.test(there.stderr)], [1, true]);
  assert.equal(await exported(), before);
  rmSync(join(place.directory, 'there.jsonl'));
  assert.ok(!existsSync(join(place.directory, 'there.jsonl')));
});

test('the upstream\'s credential comes from a variable or a file, and the audit trail shows the change without it', async () => {
  file('from-a-file\n', 'credential');
  const at = (credential: string) =>
    file(`organization: acme\nupstream: { url: https://llm.example.com, enabled: true, credential: ${credential} }\n`);
  const unset = await place.run(['apply', '-f', at('{ env: UPSTREAM_TOKEN }'), '--yes']);
  assert.match(unset.stderr, /line 2: upstream\.credential: The variable that should hold the credential is not set/);
  const env = { UPSTREAM_TOKEN: 'from-a-variable' };
  assert.equal((await place.run(['apply', '-f', at('{ env: UPSTREAM_TOKEN }'), '--yes'], { env })).code, 0);
  assert.equal((await place.run(['apply', '-f', at('{ env: UPSTREAM_TOKEN }')], { env })).stdout, 'Nothing to do.\n');
  const other = await place.run(['apply', '-f', at('{ file: ./credential }'), '--yes']);
  assert.match(other.stdout, /credential +stored +another/);
  assert.match(await exported(), /# Credentials of upstreams are stored and are not exported/);
  assert.equal((await place.run(['apply', '-f', file(await exported())])).stdout, 'Nothing to do.\n');
  const trail = JSON.stringify(await place.json(['audit', 'list', '--org', 'acme']));
  assert.doesNotMatch(trail, /from-a-/);
  const rows = JSON.parse(trail) as { action: string; actor: { name: string }; detail: Record<string, unknown> }[];
  const [row] = rows.filter(({ action }) => action === 'setCap');
  assert.deepEqual([row!.actor.name, row!.detail], [operator, { file: 'org.yaml', cap: 'key ci day', limit: '0.000000001' }]);
});

test('amounts and numbers are read as they are written', () => {
  const read = readYaml('a: 2.50\nb: 0.000000001\nc: 9007199254740993\nd: 1e3\ne: 007\nf: 5\ng: "5"\nh: true\ni: null\nj: yes\nk: 0x10\n');
  assert.ok('value' in read);
  assert.deepEqual(read.value, {
    a: '2.50', b: '0.000000001', c: '9007199254740993', d: '1e3', e: '007', f: 5, g: '5', h: true, i: null, j: 'yes', k: '0x10',
  });
});
