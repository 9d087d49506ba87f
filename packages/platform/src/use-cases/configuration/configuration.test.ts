/**
 * On both engines: an export equals what was applied; applying an export changes nothing, whatever the organization holds; a plan names
 * each change and makes none; items not named stay unless pruned; a configuration with anything wrong in it changes nothing at all.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { webhookEvents } from '@metergate/core/alert/webhook-event.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { calendarWindows } from '@metergate/core/spend/window.ts';
import { wrongBaseUrlRules } from '@metergate/core/call/wrong-base-url.ts';
import { unmeteredRules } from '@metergate/core/usage/unmetered.ts';
import { bothEngines, contractStores } from '@metergate/store/test-support/contract-store.ts';
import { setCap } from '../caps.ts';
import type { UseCaseContext } from '../context.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { createServiceKey, listServiceKeys, revokeServiceKey, setServiceKey } from '../service-keys.ts';
import { declareUpstream, enableUpstream } from '../upstreams.ts';
import { createWebhook, listWebhooks } from '../webhooks/webhooks.ts';
import type { Configuration } from './configuration.ts';
import { exportConfiguration } from './export.ts';
import { applyPlan, planConfiguration, type ConfigurationPlan } from './plan.ts';
import type { MadeSecret } from './planned-change.ts';

const contractStore = contractStores();
const nowMs = Date.UTC(2026, 9, 1, 12);
const runs = { numRuns: draws(8), endOnFailure: true };

function granted<Result>(result: Result): Exclude<Result, AdministrationRefusal> {
  if (isRefusal(result)) throw new Error(`refused: ${result.refused.code}`);
  return result as Exclude<Result, AdministrationRefusal>;
}

const usd = fc.tuple(fc.nat(9_999), fc.nat(999_999_999)).map(([whole, nano]) => `${whole}.${String(nano).padStart(9, '0')}`);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const name = fc.constantFrom(
  'ci', 'build bot', 'null', 'yes', '007', 'a: b', '- x', '"quoted"', '#no comment', 'größe', '日本', "it's", '{x}', '1e3',
);
const rule = fc.constantFrom(...unmeteredRules);
const models = maybe(fc.uniqueArray(fc.constantFrom('gpt-5*', '*', '日本', 'claude-*', 'yes', 'null'), { minLength: 1 }));
const settings = fc.record({
  drainSeconds: maybe(fc.nat(86_400)), keepRecordsDays: maybe(fc.integer({ min: 31, max: 36_500 })), enforceKeyCaps: fc.boolean(),
  maxRunBudget: maybe(usd), runCeiling: maybe(usd), runExposure: maybe(usd),
  fallbackPrice: maybe(fc.record({ input: usd, output: usd })),
  unmetered: maybe(fc.record({ deferred: rule, unreported: rule, handedOut: rule, hidden: rule })),
  wrongBaseUrl: fc.constantFrom(...wrongBaseUrlRules), models, follow: fc.boolean(),
});
const key = fc.record({
  name, project: maybe(name), maxRunBudget: maybe(usd), models, disabled: fc.boolean(),
  expiresAt: maybe(fc.integer({ min: 1, max: 100_000_000 }).map((seconds) => new Date(nowMs + seconds * 1_000).toISOString())),
});
const limits = { limit: usd, window: fc.constantFrom(...calendarWindows), mode: fc.constantFrom('refuse' as const, 'pause' as const) };
const at = maybe(fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 5 }));
const events = maybe(fc.uniqueArray(fc.constantFrom(...webhookEvents), { minLength: 1 }));
const team = fc.constantFrom('search', 'größe', 'unallocated');
const target = fc.oneof(fc.record({ byLabel: fc.constantFrom('team:*', '*x*') }), fc.record({ team }),
  fc.record({ split: fc.oneof(fc.constant('own-shares' as const),
    fc.dictionary(team, fc.constantFrom('0.5', '3'), { minKeys: 1, noNullPrototype: true })) }));
const allocation = maybe(fc.record({
  rules: fc.array(fc.tuple(target, fc.record({ keys: fc.constant(['ci']), people: fc.constant(['a@b.example']) }, { requiredKeys: [] }))
    .map(([one, other]) => ({ ...other, ...one })), { maxLength: 4 }),
  rest: fc.record({ team }), markup: fc.constantFrom('0', '12.5'), currency: fc.constant({ code: 'EUR', rate: '0.9137', date: '2026-10-31' }),
  accounts: fc.constant([{ team: null, account: '6999', costCentre: null }]),
}, { requiredKeys: ['rules'] }));
const document = fc.uniqueArray(key, { selector: (each) => each.name, maxLength: 5 }).chain((keys) => {
  const scoped = [
    fc.record({ scope: fc.constant('organization' as const), ...limits, alerts: at }),
    fc.record({ scope: fc.constant('project' as const), project: name, ...limits, alerts: at }),
    fc.record({ scope: fc.constant('label' as const), label: name, ...limits, alerts: at }),
    ...(keys.length === 0 ? [] : [
      fc.record({ scope: fc.constant('key' as const), key: fc.constantFrom(...keys.map((each) => each.name)), ...limits, alerts: at }),
    ]),
  ];
  return fc.record({
    settings, keys: fc.constant(keys),
    caps: fc.uniqueArray(fc.oneof(...scoped), { selector: (cap) => JSON.stringify({ ...cap, limit: 0, mode: 0, alerts: 0 }), maxLength: 8 }),
    webhooks: fc.uniqueArray(fc.record({ url: fc.constantFrom('https://a.example/x', 'https://b.example/', 'https://c.example/y?z=1'), events }),
      { selector: ({ url }) => url }),
    upstream: maybe(fc.record({
      url: fc.constantFrom('https://llm.example', 'https://other.example/base'), enabled: fc.boolean(), credential: fc.constant(null),
    })),
    upstreams: fc.uniqueArray(fc.record({
      name: fc.constantFrom('azure', 'google', 'n-2'), auth: fc.constantFrom('bearer' as const, 'none' as const),
      dialect: maybe(fc.constantFrom('gemini' as const, 'cohere' as const)), provider: maybe(fc.constantFrom('mistral', 'azure')),
      url: fc.constantFrom('https://llm.example', 'https://other.example/base/v1'), enabled: fc.boolean(), credential: fc.constant(null),
    }).map((each) => ({ ...each, enabled: each.enabled && each.auth === 'none' })), {
      selector: (each) => each.name,
    }).map((all) => all.toSorted((one, other) => (one.name < other.name ? -1 : 1))),
    allocation,
  });
});

for (const on of bothEngines) {
  describe(`configurations on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);
    const context: UseCaseContext = { store, randomBytes: (n) => randomBytes(n), nowMs };
    const secrets: Readonly<Record<string, string>> = {
      CREDENTIAL: 'a-credential', ANOTHER: 'another-one', AWS: '{ "SecretAccessKey": "s", "AccessKeyId": "AKIDEXAMPLE" }',
    };
    const planned = async (organization: OrganizationId, given: unknown, { prune = false } = {}) =>
      granted(await planConfiguration(context, {
        document: given, organization, prune, rules: { allow: [] },
        credentialOf: async ({ env }) => (secrets[env!] === undefined ? { sentence: 'The variable is not set.' } : { credential: secrets[env!]! }),
      }));
    const plan = async (...given: Parameters<typeof planned>): Promise<ConfigurationPlan> => {
      const found = await planned(...given);
      assert.ok('steps' in found, JSON.stringify(found));
      return found;
    };
    const problems = async (organization: OrganizationId, given: unknown): Promise<string[]> => {
      const found = await planned(organization, given);
      assert.ok('problems' in found, JSON.stringify(found));
      return found.problems.map(({ path, sentence }) => `${path.join('.')}: ${sentence}`);
    };
    const apply = async (...given: Parameters<typeof planned>): Promise<MadeSecret[]> => {
      const made: MadeSecret[] = [];
      assert.equal(await applyPlan(await plan(...given), () => context, async (secret) => void made.push(secret)), null);
      return made;
    };
    const exported = async (organization: OrganizationId) => granted(await exportConfiguration(context, organization)).configuration;
    /** Without the fields that always differ between organizations. */
    const content = async (organization: OrganizationId): Promise<Omit<Configuration, 'organization'>> => {
      const { organization: _name, ...rest } = await exported(organization);
      return rest;
    };
    const said = ({ steps }: ConfigurationPlan): string[] => steps.map(({ change: { action, kind, name: of, fields } }) =>
      [action, kind, of, ...fields.map(({ field, from, to }) => `${field}: ${String(from)} -> ${String(to)}`)].join(' '));

    test('any configuration, applied, equals its export; applying it or its export again changes nothing; elsewhere it gives the same', async () => {
      await fc.assert(fc.asyncProperty(document, async (given) => {
        const [one, other] = [await newOrganization(), await newOrganization()];
        const made = await apply(one, given);
        assert.equal(made.length, given.keys.length + given.webhooks.length);
        for (const prune of [false, true]) {
          assert.deepEqual(said(await plan(one, given, { prune })), []);
          assert.deepEqual(said(await plan(one, await exported(one), { prune })), []);
        }
        await apply(other, await exported(one));
        assert.deepEqual(await content(other), await content(one));
      }), runs);
    });

    test('any configuration over any other: with pruning only the second is left, and nothing of the first that it does not name', async () => {
      await fc.assert(fc.asyncProperty(document, document, async (before, after) => {
        const [one, fresh] = [await newOrganization(), await newOrganization()];
        await apply(one, before);
        await apply(one, after, { prune: true });
        await apply(fresh, after);
        assert.deepEqual(sorted(await content(one)), sorted(await content(fresh)));
        assert.deepEqual(said(await plan(one, after, { prune: true })), []);
      }), runs);
    });

    test('applying an export of things made by hand changes nothing: keys without a name or with the same name, revoked ones, caps', async () => {
      const organization = await newOrganization();
      const made = [];
      for (const named of ['twin', 'twin', null, 'alone', 'gone']) made.push(granted(await createServiceKey(context, { organization, name: named })));
      granted(await createServiceKey(context, { organization, name: made[0]!.id }));
      for (const { id } of made) {
        granted(await setCap(context, { organization, scope: 'key', key: id, window: 'day', limit: '1.5' }));
      }
      granted(await revokeServiceKey(context, made[4]!.id));
      for (const wanted of [null, ['cap.reached' as const], ['cap.reached' as const]]) {
        granted(await createWebhook(context, { organization, url: 'https://hooks.example/', events: wanted }, { allow: [] }));
      }
      granted(await declareUpstream(context, { organization, url: 'https://llm.example', credential: 'stored-one' }, { allow: [] }));
      granted(await enableUpstream(context, organization));
      const configuration = await exported(organization);
      // Two with the same URL and events are one entry.
      const once = { ...configuration, webhooks: configuration.webhooks!.slice(0, 2) };
      for (const prune of [false, true]) assert.deepEqual(said(await plan(organization, once, { prune })), []);
      assert.deepEqual(configuration.keys!.map(({ id, name: named }) => [id === undefined, named ?? null]),
        [[false, 'twin'], [false, 'twin'], [false, null], [true, 'alone'], [false, made[0]!.id]]);
      assert.ok(!JSON.stringify(configuration).includes('stored-one'));
    });

    test('a plan shows old and new values of what differs, and changes nothing', async () => {
      const organization = await newOrganization();
      await apply(organization, {
        settings: { drainSeconds: 5 }, keys: [{ name: 'ci', project: 'build' }], caps: [{ scope: 'organization', window: 'day', limit: '5' }],
      });
      const before = await content(organization);
      const next = {
        settings: { drainSeconds: 5, enforceKeyCaps: true, unmetered: { handedOut: 'refuse' } },
        keys: [{ name: 'ci', project: null }, { name: 'new' }],
        caps: [{ scope: 'organization', window: 'day', limit: 7, alerts: [100, 50, 50] }, { scope: 'key', key: 'new', window: 'month', limit: '1' }],
      };
      assert.deepEqual(said(await plan(organization, next)), [
        `change settings ${(await exported(organization)).organization} enforceKeyCaps: false -> true unmetered: ${
          'deferred=allow,unreported=allow,handedOut=allow,hidden=allow -> deferred=allow,unreported=allow,handedOut=refuse,hidden=allow'}`,
        'change key ci project: build -> null', 'create key new',
        'change cap organization day limit: 5.000000000 -> 7.000000000 alerts: null -> 50,100',
        'create cap key new month limit: null -> 1.000000000',
      ]);
      assert.deepEqual(await content(organization), before);
      await apply(organization, next);
      assert.deepEqual(said(await plan(organization, next)), []);
    });

    test('items not named stay, and are counted; pruning removes them; an absent section is never touched', async () => {
      const organization = await newOrganization();
      await apply(organization, {
        keys: [{ name: 'a' }, { name: 'b' }], caps: [{ scope: 'organization', window: 'day', limit: '5', alerts: [50] }],
        webhooks: [{ url: 'https://a.example/' }], upstream: { url: 'https://llm.example', credential: { env: 'CREDENTIAL' } },
      });
      const some = { keys: [{ name: 'a' }], caps: [], upstream: null };
      const kept = await plan(organization, some);
      assert.deepEqual([said(kept), kept.left], [[], 3]);
      const gone = await plan(organization, some, { prune: true });
      assert.deepEqual([said(gone), gone.left], [[
        'remove key b', 'remove cap organization day limit: 5.000000000 -> null', 'remove upstream https://llm.example',
      ], 0]);
      await apply(organization, some, { prune: true });
      assert.deepEqual((await content(organization)).keys, [{ name: 'a' }]);
      assert.equal((await listWebhooks(context, organization) as unknown[]).length, 1);
      assert.deepEqual(said(await plan(organization, {}, { prune: true })), []);
    });

    test('a cap of a person is named by the email, whatever its case, and by no stranger\'s', async () => {
      const organization = await newOrganization();
      const email = `ada-${organization.toLowerCase().replace('_', '-')}@example.com`;
      const made = await store.members.create({ organization, email, passwordHash: 'none', role: 'member' });
      assert.ok(!('refused' in made));
      const cap = { scope: 'person', person: email.toUpperCase(), window: 'day', limit: '5', mode: 'refuse' };
      await apply(organization, { caps: [cap] });
      assert.deepEqual((await content(organization)).caps, [{ ...cap, person: email, limit: '5.000000000' }]);
      assert.deepEqual(said(await plan(organization, { caps: [{ ...cap, person: email }] }, { prune: true })), []);
      for (const [wrong, place] of [[{ ...cap, person: 'eve@example.com' }, 'caps.0.person'], [{ ...cap, label: 'x' }, 'caps.0'],
        [{ scope: 'label', label: 'a,b', window: 'day', limit: '1' }, 'caps.0.label']] as const) {
        assert.deepEqual((await problems(organization, { caps: [wrong] })).map((line) => line.split(':', 1)[0]), [place]);
      }
      assert.deepEqual(said(await plan(organization, { caps: [] }, { prune: true })), 
        [`remove cap person ${email} day limit: 5.000000000 -> null`]);
    });

    test('a field that is left out stays, null removes it', async () => {
      const organization = await newOrganization();
      const cap = { scope: 'organization', window: 'month', limit: '5' };
      await apply(organization, {
        keys: [{ name: 'a', project: 'p', maxRunBudget: '2', disabled: true }], caps: [{ ...cap, mode: 'pause', alerts: [80] }],
        webhooks: [{ url: 'https://a.example/', events: ['cap.reached'] }],
      });
      assert.deepEqual(said(await plan(organization, { keys: [{ name: 'a' }], caps: [cap] })), []);
      await apply(organization, { keys: [{ name: 'a', project: null, maxRunBudget: null }], caps: [{ ...cap, alerts: null }] });
      const { keys, caps } = await content(organization);
      assert.deepEqual([keys, caps], [
        [{ name: 'a', disabled: true }], [{ scope: 'organization', window: 'month', limit: '5.000000000', mode: 'pause' }],
      ]);
    });

    test('a webhook whose events change keeps its id and secret; a key named by its id keeps it when renamed', async () => {
      const organization = await newOrganization();
      const [made] = await apply(organization, { keys: [{ name: 'a' }], webhooks: [{ url: 'https://a.example/', events: ['cap.reached'] }] });
      const [before] = granted(await listWebhooks(context, organization));
      assert.deepEqual(await apply(organization, {
        keys: [{ id: made!.id, name: 'b' }], webhooks: [{ url: 'https://a.example', events: ['cap.reset', 'cap.reached'] }],
        caps: [{ scope: 'key', key: 'b', window: 'day', limit: '1' }],
      }), [], 'no secret is made');
      const [after] = granted(await listWebhooks(context, organization));
      assert.deepEqual([after!.id, after!.events], [before!.id, ['cap.reset', 'cap.reached']]);
      assert.deepEqual((granted(await listServiceKeys(context, organization))).map(({ id, name: named }) => [id, named]), [[made!.id, 'b']]);
    });

    test('the upstream\'s credential is compared with the stored one, is never shown, and never goes to another URL by itself', async () => {
      const organization = await newOrganization();
      const upstream = { url: 'https://llm.example/v1', enabled: true, credential: { env: 'CREDENTIAL' } };
      assert.deepEqual(said(await plan(organization, { upstream })),
        ['create upstream https://llm.example url: null -> https://llm.example credential: null -> another enabled: false -> true']);
      await apply(organization, { upstream });
      assert.deepEqual(said(await plan(organization, { upstream })), []);
      const changed = await plan(organization, { upstream: { ...upstream, credential: { env: 'ANOTHER' } } });
      assert.deepEqual(said(changed), ['change upstream https://llm.example credential: stored -> another']);
      assert.ok(!JSON.stringify(changed).includes('another-one'));
      await apply(organization, { upstream: { ...upstream, credential: { env: 'ANOTHER' } } });
      assert.equal((await store.upstreams.show(organization))!.enabled, true, 'it stays enabled');
      assert.deepEqual(await problems(organization, { upstream: { url: 'https://evil.example' } }),
        ['upstream.credential: The URL changes, so say what its credential is: env, file, or null if none is needed.']);
      await apply(organization, { upstream: { url: 'https://llm.example', credential: null, enabled: false } });
      const { version: _version, ...shown } = (await store.upstreams.show(organization))!;
      assert.deepEqual(shown, { url: 'https://llm.example', enabled: false, hasCredential: false, state: 'readable' });
    });

    test('upstreams are known by their names; what is stored goes nowhere else, and is shown in no other way, unless the file says it', async () => {
      const organization = await newOrganization();
      const azure = {
        name: 'azure', url: 'https://r.openai.azure.com', auth: 'api-key', provider: 'azure', enabled: true, credential: { env: 'CREDENTIAL' },
      };
      const google = { name: 'google', url: 'https://generativelanguage.googleapis.com', auth: 'x-goog-api-key', credential: { env: 'ANOTHER' } };
      assert.deepEqual(said(await plan(organization, { upstreams: [azure] })), [
        'create upstream azure url: null -> https://r.openai.azure.com auth: null -> api-key provider: null -> azure '
          + 'credential: null -> another enabled: false -> true',
      ]);
      await apply(organization, { upstreams: [azure, google] });
      assert.deepEqual(said(await plan(organization, { upstreams: [azure, google] }, { prune: true })), []);
      // What is left out stays, the credential with it.
      const { credential: _azure, auth: _auth, ...quiet } = azure;
      assert.deepEqual(said(await plan(organization, { upstreams: [{ ...quiet, provider: null, enabled: false }] })),
        ['change upstream azure provider: azure -> null enabled: true -> false']);
      await apply(organization, { upstreams: [{ ...quiet, provider: null }] });
      const held = (await store.settings.organization(organization))!.upstreams;
      assert.deepEqual(held.map(({ name: of, auth, credential, enabled, provider }) => [of, auth, credential, enabled, provider]),
        [['azure', 'api-key', 'a-credential', true, null], ['google', 'x-goog-api-key', 'another-one', false, null]]);
      assert.deepEqual(await problems(organization, {
        upstreams: [{ ...quiet, url: 'https://evil.example' }, { name: 'google', url: google.url, auth: 'bearer' }],
      }), [
        'upstreams.0.credential: The URL changes, so say what its credential is: env, file, or null if none is needed.',
        'upstreams.1.credential: The auth changes, so say what its credential is: env, file, or null if none is needed.',
      ]);
      const gone = await plan(organization, { upstreams: [{ ...quiet, provider: null }] }, { prune: true });
      assert.deepEqual(said(gone), ['remove upstream google']);
      assert.equal((await plan(organization, { upstreams: [quiet] })).left, 1);
      assert.ok(!JSON.stringify(gone).includes('a-credential'));
      const aws = { name: 'bedrock', url: 'https://bedrock-runtime.us-east-1.amazonaws.com', auth: 'aws-sigv4', credential: { env: 'AWS' } };
      await apply(organization, { upstreams: [aws] });
      assert.deepEqual(said(await plan(organization, { upstreams: [aws] })), [], 'what is kept of a credential is compared, however it is written');
      assert.deepEqual((await problems(organization, {
        upstreams: [
          { ...azure, name: 'A b' }, { ...azure, name: 'x', provider: 'nobody' }, { ...aws, name: 'y', credential: { env: 'CREDENTIAL' } }, aws, aws,
        ],
      })).map((line) => line.split(':', 1)[0]), ['upstreams.0.name', 'upstreams.1.provider', 'upstreams.2.credential', 'upstreams.4.name']);
    });

    test('everything that is wrong is named at once, with its place, and nothing of it is planned', async () => {
      const organization = await newOrganization();
      for (const named of ['twin', 'twin']) granted(await createServiceKey(context, { organization, name: named }));
      const expired = granted(await createServiceKey(context, { organization, name: 'expired', lifetimeMs: 1 }));
      granted(await setServiceKey(context, { id: expired.id, within: null }, { disabled: true }));
      const before = await content(organization);
      const found = await problems(organization, {
        colour: 'red', settings: { plan: 'gold', drainSeconds: -1, maxRunBudget: '1e3', fallbackPrice: { input: '1' }, secret: 'x' },
        keys: [{}, { name: '' }, { name: 7 }, { name: 'x', expiresAt: '2026-02-30T00:00:00Z' }],
        caps: [{ scope: 'planet', window: 'day', limit: '1' }, { scope: 'key', window: 'day', limit: '1' }, { scope: 'organization', window: 'day' }],
        webhooks: [{ url: 'https://x.example', events: ['nothing'] }], upstream: { url: 'https://x.example', credential: 'sk-in-the-file' },
      });
      const places = [
        'colour', 'settings.plan', 'settings.drainSeconds', 'settings.maxRunBudget', 'settings.fallbackPrice.output',
        'settings.secret', 'keys.0', 'keys.1.name', 'keys.2.name', 'keys.3.expiresAt', 'caps.0.scope', 'caps.1',
        'caps.2.limit', 'webhooks.0.events.0',
        'upstream.credential',
      ];
      for (const place of places) assert.ok(found.some((line) => line.startsWith(`${place}: `)), `${place} is not in:\n${found.join('\n')}`);
      assert.ok(!found.join().includes('sk-in-the-file'));
      const second = await problems(organization, {
        settings: { requestsPerMinute: 5 }, keys: [
          { name: 'twin' }, { id: 'key_nowhere' }, { name: 'new' }, { name: 'new' }, { name: 'late', expiresAt: '2026-09-01T00:00:00Z' },
        ],
        caps: [{ scope: 'key', key: 'twin', window: 'day', limit: 1 }, { scope: 'organization', window: 'day', limit: 1 },
          { scope: 'organization', window: 'day', limit: 2 }],
        webhooks: [{ url: 'http://127.0.0.1/' }, { url: 'https://a.example' }, { url: 'https://a.example/' }],
        upstream: { url: 'https://127.0.0.1', credential: { env: 'UNSET' } },
      });
      assert.deepEqual(second.map((line) => line.split(':', 1)[0]), [
        'settings.requestsPerMinute', 'keys.0.name', 'keys.1.id', 'keys.3', 'keys.4.expiresAt', 'caps.0.key', 'caps.2',
        'webhooks.0.url', 'webhooks.2', 'upstream.url', 'upstream.credential',
      ]);
      assert.deepEqual(await content(organization), before);
      for (const odd of [null, 7, [], 'text']) assert.deepEqual(await problems(organization, odd), [': The file must be a map of sections.']);
      const currency = { code: 'EUR', rate: '0.91371234567891', date: '2026-10-31' };
      assert.deepEqual(await problems(organization, { allocation: { rules: [], currency } }),
        ['allocation.currency.rate: The rate must be a number from 0 to 1000000000 with at most 9 decimal places.'], 'said once');
    });

    test('a refused change stops the work and says how far it came; applying again makes nothing twice', async () => {
      const organization = await newOrganization();
      const given = { keys: [{ name: 'a' }, { name: 'b' }], webhooks: [{ url: 'https://a.example/' }] };
      const found = await plan(organization, given);
      let asked = 0;
      const made: MadeSecret[] = [];
      const create = async () => ({ refused: { code: 'key_taken', message: 'x' } });
      const gone = { ...context, store: { ...store, serviceKeys: { ...store.serviceKeys, create } } };
      const contextFor = () => (++asked === 2 ? gone as unknown as UseCaseContext : context);
      const stopped = await applyPlan(found, contextFor, async (secret) => void made.push(secret));
      assert.deepEqual([stopped?.done, made.map(({ name: named }) => named)], [1, ['a']]);
      assert.deepEqual((await apply(organization, given)).map(({ name: named }) => named), ['b', 'https://a.example/']);
      assert.deepEqual(said(await plan(organization, given)), []);
    });
  });
}

/** Lists are in the order of creation, which differs from the file's if some items existed before; events are a set. */
function sorted(configuration: Omit<Configuration, 'organization'>): unknown {
  const inOrder = (list: readonly unknown[] | undefined) => (list ?? []).map((each) => JSON.stringify(each)).toSorted();
  const { keys, caps, webhooks, ...rest } = configuration;
  const told = webhooks?.map(({ url, events: of }) => ({ url, events: of?.toSorted() ?? null }));
  return { ...rest, keys: inOrder(keys), caps: inOrder(caps), webhooks: inOrder(told) };
}
