/** `prices import`: the public list's own form becomes the deployment's list; a bad file changes nothing. Rules: Interfaces; rule 6e. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { waitForUpdate } from '@pydantic/genai-prices';
import { priceList, priceListId } from '@metergate/core/price/price-list.ts';
import { oneSentence, ownStore, type OwnStore } from '../test-support/own-store.ts';

const nowMs = Date.parse('2026-11-24T01:00:00Z');
let own: OwnStore;
let published: { id: string; models: { id: string; prices: Record<string, unknown> }[] }[];

before(async () => {
  own = await ownStore(() => nowMs);
  published = structuredClone(await waitForUpdate()) as unknown as typeof published;
});
after(() => own?.end());

const write = (value: unknown): string => {
  const file = join(own.directory, 'data.json');
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
};
/** What is published, with another price for one model, one model more and one less. */
function newer(): typeof published {
  const list = structuredClone(published);
  const openai = list.find(({ id }) => id === 'openai')!;
  const at = openai.models.findIndex(({ id }) => id === 'gpt-4o');
  openai.models[at] = { ...openai.models[at]!, prices: { ...openai.models[at]!.prices, input_mtok: 2 } };
  openai.models = openai.models.filter(({ id }) => id !== 'gpt-4o-mini');
  openai.models.push({ id: 'gpt-9', match: { equals: 'gpt-9' }, prices: { input_mtok: 1, output_mtok: 2 } } as never);
  return list;
}
const shown = async (model: string) => await own.json(['prices', 'show', model]) as {
  list: { id: string; source: string }; prices: { provider: string; input: string; inForce: boolean; priceList: string }[];
};
const inForce = async (model: string) => (await shown(model)).prices.find(({ provider, inForce: is }) => provider === 'openai' && is);
type Imported = { before: { id: string }; after: { id: string }; changes: { kind: string; model: string }[] };

test('what is published now, amended as the shipped list is, changes nothing', async () => {
  const { before: was, after: is, changes } = await own.json(['prices', 'import', write(published)]) as Imported;
  assert.deepEqual([was.id, is.id, changes], [priceListId(priceList), priceListId(priceList), []]);
});

test('what changes is shown, and nothing is imported unless somebody agrees', async () => {
  const file = write(newer());
  const asked = await own.run(['prices', 'import', file]);
  assert.equal(asked.code, 1);
  assert.match(asked.stderr, /\nchanged +openai +gpt-4o +2\.5 -> 2 +1\.25 +10 +-\n/);
  assert.match(asked.stderr, /\nadded +openai +gpt-9 +- -> 1 /);
  assert.match(asked.stderr, /Warning: 2 models of the list in force are not in this one: .* It may be an older one: /);
  assert.match(asked.stderr, /1 changed, 1 added, 2 removed, from .* Nothing was imported\. To import it: metergate prices import FILE --yes\n$/s);
  assert.equal((await own.run(['prices', 'import', file], { stdin: ['no\n'], isTerminal: true })).code, 1);
  assert.equal((await inForce('gpt-4o'))?.input, '2.5');
});

test('an imported list is in force with its own name, and is kept in the audit trail; the shipped one can be put back', async () => {
  const imported = await own.json(['prices', 'import', write(newer()), '--yes']) as Imported;
  assert.deepEqual(imported.changes.map(({ kind, model }) => [kind, model]).sort(),
    [['added', 'gpt-9'], ['changed', 'gpt-4o'], ['removed', 'gpt-4o-mini'], ['removed', 'gpt-4o-mini-search-preview']]);
  assert.match(imported.after.id, /^2026-11-24\/[0-9a-f]{16}$/);
  assert.deepEqual([(await inForce('gpt-4o'))?.input, (await inForce('gpt-4o'))?.priceList], ['2', imported.after.id]);
  assert.equal((await inForce('gpt-9'))?.input, '1');
  const again = await own.json(['prices', 'import', write(newer()), '--yes']) as Imported;
  assert.deepEqual([again.after.id, again.changes], [imported.after.id, []]);
  const { stdout } = await own.run(['prices', 'list']);
  assert.match(stdout, new RegExp(`Price list ${imported.after.id}: \\d+ models from data\\.json, imported on 2026-11-24, its own date`));
  const trail = await own.json(['audit', 'list']) as { action: string; subject: string | null }[];
  assert.deepEqual(trail.map(({ action, subject }) => [action, subject]), [['importPrices', imported.after.id]]);
  const doctor = await own.run(['doctor', '--json']);
  const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; state: string; message: string }[] };
  const { state, message } = checks.find(({ name }) => name === 'prices')!;
  assert.deepEqual([state, message.includes(imported.after.id), /imported from data\.json on 2026-11-24, its own date is not known/.test(message)],
    ['ok', true, true]);
  assert.doesNotMatch(message, /days old/);

  const file = join(own.directory, 'own.json');
  writeFileSync(file, JSON.stringify({ prices: [{ provider: 'openai', model: 'gpt-9', input: '7', output: '8' }] }));
  await own.json(['prices', 'load', file, '--yes']);
  assert.equal((await inForce('gpt-9'))?.input, '7', 'the operator\'s own price goes before the list');
  const back = await own.json(['prices', 'import', '--shipped', '--yes']) as Imported;
  assert.equal(back.after.id, priceListId(priceList));
  assert.deepEqual([(await inForce('gpt-4o'))?.input, (await inForce('gpt-9'))?.input], ['2.5', '7']);
});

test('an older list of a known day is reported as older, each rate that changed is named, and the day is kept', async () => {
  const older = newer();
  const { models } = older.find(({ id }) => id === 'anthropic')!;
  const at = models.findIndex(({ prices }) => !Array.isArray(prices) && typeof prices['cache_write_mtok'] === 'number');
  models[at] = { ...models[at]!, prices: { ...models[at]!.prices, cache_write_mtok: 99 } };
  const file = write(older);
  const asked = await own.run(['prices', 'import', file, '--date', '2026-08-21']);
  assert.match(asked.stderr, new RegExp(`\\nchanged +anthropic +${models[at].id} .* cacheWrite [\\d.]+ -> 99`));
  assert.match(asked.stderr, /2 models of the list in force .* It is older: of 2026-08-21, and the list in force of 2026-09-23\./);
  const { after: is, warning } = await own.json(['prices', 'import', file, '--date', '2026-08-21', '--yes']) as Imported & { warning: string };
  assert.match(is.id, /^2026-08-21\/[0-9a-f]{16}$/);
  assert.match(warning, /It is older: of/);
  const { checks } = JSON.parse((await own.run(['doctor', '--json'])).stdout) as { checks: { name: string; state: string; message: string }[] };
  const { state, message } = checks.find(({ name }) => name === 'prices')!;
  assert.equal(state, 'warn');
  assert.match(message, /imported from data\.json, 95 days old\. This version brings a newer one/);
  for (const day of ['2026-11-25', '2026-02-30', 'yesterday']) {
    assert.equal((await own.run(['prices', 'import', file, '--date', day])).code, 2, day);
  }
  await own.json(['prices', 'import', '--shipped', '--yes']);
});

test('a file that is not understood changes nothing, and its fault is named', async () => {
  const refused = async (value: unknown, sentence: RegExp): Promise<void> => {
    const ran = await own.run(['prices', 'import', write(value), '--yes']);
    assert.equal(ran.code, 1);
    oneSentence(ran, sentence);
  };
  const { list } = await shown('gpt-4o');
  await refused('{"a":', /is not valid JSON/);
  await refused('{}', /providers must be an array/);
  await refused(published.filter(({ id }) => id !== 'anthropic'), /has no models of anthropic/);
  const broken = structuredClone(published);
  broken[0]!.models[3]!.prices = { input_mtok: 'cheap' };
  await refused(broken, /\[0\]\.models\[3\]\.prices\.input_mtok/);
  const own2 = join(own.directory, 'own.json');
  writeFileSync(own2, JSON.stringify({ prices: [{ provider: 'groq', model: 'x', input: '7', output: '8' }] }));
  await own.json(['prices', 'load', own2, '--yes']);
  await refused(published.filter(({ id }) => id !== 'groq'), /Your own loaded prices do not go with this list: prices\[0\]\.provider/);
  assert.deepEqual((await shown('gpt-4o')).list, list);
  assert.equal((await own.run(['prices', 'import', '--yes'])).code, 2);
});
