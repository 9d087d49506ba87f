/** Lists of long names and full columns, on terminals of several widths: no line is wider, ids are whole, and elsewhere nothing is left out. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { productEnv } from '@metergate/testkit/system.ts';
import { ownDirectory } from '../test-support/own-directory.ts';
import { runInProcess } from '../test-support/run-in-process.ts';

const { dataDirectory, make, remove } = ownDirectory();
const env = productEnv({ SVC_DATA_DIR: dataDirectory, SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0' });
const long = 'a name that is as long as names of teams and their projects are';

async function printed(args: readonly string[], columns?: number): Promise<string> {
  const { code, stdout, stderr } = await runInProcess(args, env, '', columns === undefined ? {} : { columns });
  assert.equal(code, 0, stderr);
  return stdout;
}

before(async () => {
  await make();
  await printed(['org', 'create', long]);
  const of = ['--org', long];
  const project = long.replaceAll(' ', '-');
  const { id } = JSON.parse(await printed(['key', 'create', ...of, '--name', long, '--project', project, '--json'])) as { id: string };
  await printed(['cap', 'set', ...of, '--scope', 'organization', '--window', 'month', '--limit', '123456.789']);
  await printed(['cap', 'set', ...of, '--scope', 'key', '--key', id, '--window', 'day', '--limit', '123456.789']);
  await printed(['token', 'create', ...of, '--name', long, '--role', 'viewer']);
  const weekly = await printed(['cap', 'set', ...of, '--scope', 'organization', '--window', 'week', '--limit', '1', '--json']);
  const { id: cap } = JSON.parse(weekly) as { id: string };
  await printed(['alert', 'set', ...of, '--cap', cap, '--at', Array.from({ length: 10 }, (_, index) => 500 + index).join(',')]);
  const url = `https://1.1.1.1/${project.repeat(3)}`;
  await printed(['webhook', 'create', ...of, '--url', url, '--events', 'cap.threshold,cap.reached,run.over_budget']);
  await printed(['baseline', 'create', ...of]);
  const declared = await runInProcess(['upstream', 'declare', ...of, '--name', 'a-name-of-thirty-two-characters-', '--url',
    url, '--auth', 'x-goog-api-key'], env, 'credential', {});
  assert.equal(declared.code, 0, declared.stderr);
  await printed(['user', 'invite', ...of, '--email', `${long.replaceAll(' ', '.')}@example.com`, '--role', 'viewer']);
});
after(remove);

const ofOrganization = ['key', 'token', 'user', 'cap', 'audit', 'webhook', 'alert', 'baseline', 'upstream'];
const lists = [['org', 'list'], ...ofOrganization.map((each) => [each, 'list', '--org', long]), ['prices', 'list'], ['prices', 'show', 'gpt-5.4']];
/** Lists whose first column is no id. */
const withoutIds: ReadonlySet<string | undefined> = new Set(['audit', 'upstream', 'prices']);
/** Lines beside a table, which a terminal breaks where it likes. */
const prose = /^(?:Caps of keys|Price list) |^$/;

describe('no list is wider than its terminal', () => {
  for (const words of lists) {
    for (const columns of [80, 100, 120]) {
      test(`${words.slice(0, 2).join(' ')} at ${columns} columns`, async () => {
        const lines = (await printed(words, columns)).split('\n').filter((line) => !prose.test(line));
        assert.ok(lines.length > 1, 'a head and a row');
        assert.deepEqual(lines.filter((line) => line.length > columns), []);
        if (!withoutIds.has(words[0])) assert.match(lines[1]!, /^[a-z]+_[0-9A-Za-z]{20} /, 'the id is whole');
      });
    }
  }
});

test('times are shown to the second, as people read them: in lists, and of one organization, key or token', async () => {
  const idOf = async (...words: string[]): Promise<string> => (JSON.parse(await printed([...words, '--json'])) as { id: string }).id;
  const [key, token, baseline] = [
    await idOf('key', 'create', '--org', long), await idOf('token', 'create', '--org', long, '--role', 'viewer', '--expires', '24h'),
    (JSON.parse(await printed(['baseline', 'list', '--org', long, '--json'])) as [{ readonly id: string }])[0].id,
  ];
  const single = [['org', 'show', long], ['key', 'revoke', key], ['token', 'revoke', token], ['user', 'invite', '--org', long, '--role', 'viewer'],
    ['baseline', 'retire', baseline]];
  for (const words of [...lists, ...single]) assert.doesNotMatch(await printed(words), /\dT\d\d:/, words.join(' '));
  assert.match(await printed(['org', 'show', long]), /^created +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/m);
});

test('whose a key is stands in the list on a narrow terminal too', async () => {
  const email = 'ada@example.com';
  const made = await runInProcess(['user', 'create', '--org', long, '--email', email, '--role', 'owner'], env, 'correct horse battery', {});
  assert.equal(made.code, 0, made.stderr);
  await printed(['key', 'create', '--org', long, '--for', email]);
  const [head, ...rows] = (await printed(['key', 'list', '--org', long], 80)).split('\n');
  assert.match(head!, / OF /);
  assert.ok(rows.some((row) => row.includes('ada@')), rows.join('\n'));
});

test('without a terminal the list of keys has all its columns and whole names', async () => {
  const text = await printed(['key', 'list', '--org', long]);
  assert.match(text, /^ID .* PREFIX .* NAME .* PROJECT .* OF .* STATE .* RUN USD .* CREATED .* LAST USED .* EXPIRES/);
  assert.ok(text.includes(long));
});
