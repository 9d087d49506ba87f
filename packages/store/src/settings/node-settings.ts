/**
 * Settings as gateway nodes ask for them: a key by its hash, all settings of an organization, and what changed since a revision.
 * Rules: Snapshots. Each answer is one statement, so it shows one moment.
 */
import type { OrganizationId, PersonId, ServiceKeyId } from '@metergate/core/id.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import type { Plan } from '@metergate/core/rate/plan.ts';
import type { Selectable } from 'kysely';
import { capsColumn, capsFrom } from './caps.ts';
import { upstreamOf } from './declared-upstreams.ts';
import { namedUpstreamsColumn, namedUpstreamsFrom } from './named-upstreams.ts';
import { agreedFiguresOf, fallbackPriceOf, runPolicyOf, unmeteredPolicyOf, wrongBaseUrlOf, modelsOf } from './organization-columns.ts';
import { wordsFrom, wordsGiven } from '../engine/texts.ts';
import { followMasterKey } from '../sealing/master-key-rotation.ts';
import { connectionOf } from './provider-connections.ts';
import { numberOrNull, type ServiceKeyTable } from '../schema/schema.ts';
import type { Engine } from '../engine/engine.ts';
import type { StoreContext } from '../sealing/context.ts';

/** What changed after a revision, up to `revision`; it may name too much, never too little. */
export interface SettingsChange {
  readonly revision: number;
  readonly organizations: OrganizationId[];
  /** The operator's own prices changed, or the list in force. */
  readonly prices: boolean;
}

export interface NodeSettings {
  /** The number of the latest change; 0 in a new store. */
  revision(): Promise<number>;
  /** A live key, which is neither revoked nor disabled. The caller checks its expiry. Null: no such key. */
  keyByHash(hash: string): Promise<ServiceKeySettings | null>;
  /** The live keys among these hashes, all read at one moment. */
  keysByHash(hashes: readonly string[]): Promise<ReadonlyMap<string, ServiceKeySettings>>;
  /** The live keys that were used since then, the one used last first, at most this many. Use is known to the minute. */
  hashesUsedSince(sinceMs: number, most: number): Promise<string[]>;
  /** Secrets unsealed. Null: there is no such organization, or it was erased. */
  organization(id: OrganizationId): Promise<OrganizationSettings | null>;
  changedSince(revision: number): Promise<SettingsChange>;
}

export function settingsIn(context: StoreContext): NodeSettings {
  const { engine } = context;
  const revision = () => context.feeds.read('settings');
  return {
    revision,
    keyByHash: async (hash) => (await keysByHash(context, [hash])).get(hash) ?? null,
    keysByHash: (hashes) => keysByHash(context, hashes),
    hashesUsedSince: (sinceMs, most) => engine.read(async (db) => (await db.selectFrom('service_key').select('hash')
      .where('last_used_at_ms', '>=', BigInt(sinceMs)).where('revoked_at_ms', 'is', null).where('disabled_at_ms', 'is', null)
      .orderBy('last_used_at_ms', 'desc').limit(most).execute()).map(({ hash }) => hash)),
    async organization(id) {
      const settings = await organizationSettings(context, id);
      // Read with a master key that was rotated away meanwhile, its secrets would look unreadable.
      return await followed(context) ? organizationSettings(context, id) : settings;
    },
    async changedSince(since) {
      // The number first: a change that commits after it is read belongs to the next question, and may be named in both.
      const latest = await revision();
      if (latest <= since) return { revision: latest, organizations: [], prices: false };
      await followed(context);
      return engine.read(async (db) => {
        const rows = await db.selectFrom('organization').select('id').where('revision', '>', BigInt(since)).execute();
        const overlay = await db.selectFrom('price_overlay').select('revision').where('revision', '>', BigInt(since)).executeTakeFirst();
        const list = await db.selectFrom('price_list').select('revision').where('revision', '>', BigInt(since)).limit(1).executeTakeFirst();
        const prices = overlay !== undefined || list !== undefined;
        return { revision: latest, organizations: rows.map((row) => row.id as OrganizationId), prices };
      });
    },
  };
}

type KeyRow = { readonly until_ms: bigint | null } & Pick<
  Selectable<ServiceKeyTable>, 'hash' | 'id' | 'organization' | 'project' | 'expires_at_ms' | 'max_run_budget_nano' | 'models' | 'person'
>;

const columns = 'k.id, k.organization, k.project, k.expires_at_ms, k.max_run_budget_nano, k.models, k.person';
const live = 'k.revoked_at_ms is null and k.disabled_at_ms is null';

/**
 * Fixed texts, since the first calls of many keys arrive together. A present key takes precedence over a former one. SQLite is asked per hash,
 * and for a former key only if there is no present one; PostgreSQL is asked for all at once.
 */
const nowText = `select k.hash, ${columns}, null as until_ms from service_key as k where k.hash = ? and ${live}`;
const formerText = `select f.hash, ${columns}, f.until_ms from service_key_former as f join service_key as k on k.id = f.key
  where f.hash = ? and ${live}`;
const serverText = `
  select given.word as hash, ${columns}, f.until_ms, 1 as place from ${wordsGiven('postgres')} as given
    join service_key_former as f on f.hash = given.word join service_key as k on k.id = f.key where ${live}
  union all select given.word as hash, ${columns}, cast(null as bigint), 2 from ${wordsGiven('postgres')} as given
    join service_key as k on k.hash = given.word where ${live} order by place`;

async function keysByHash({ engine }: StoreContext, hashes: readonly string[]): Promise<Map<string, ServiceKeySettings>> {
  // No hash holds a NUL, and PostgreSQL takes none.
  const asked = hashes.filter((hash) => !hash.includes('\0'));
  const rows = engine.kind === 'postgres' ? (await engine.look<KeyRow>(serverText, [[wordsFrom('postgres', asked)]])).flat()
    : await liveKeyRows(engine, asked);
  return new Map(rows.map((row) => [row.hash, {
    id: row.id as ServiceKeyId,
    organization: row.organization as OrganizationId,
    project: row.project,
    expiresAtMs: earlierOf(numberOrNull(row.expires_at_ms), numberOrNull(row.until_ms)),
    maxRunBudget: row.max_run_budget_nano as NanoDollars | null,
    models: modelsOf(row.models),
    person: row.person as PersonId | null,
  }]));
}

async function liveKeyRows(engine: Engine, hashes: readonly string[]): Promise<readonly KeyRow[]> {
  const now = await engine.look<KeyRow>(nowText, hashes.map((hash) => [hash]));
  const others = hashes.filter((_hash, index) => now[index]!.length === 0);
  return others.length === 0 ? now.flat() : [...now, ...await engine.look<KeyRow>(formerText, others.map((hash) => [hash]))].flat();
}

/** A rotated key's former form ends with its grace, and never later than the key. */
function earlierOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? one ?? other : Math.min(one, other);
}

function followed({ engine, vault }: StoreContext): Promise<boolean> {
  return engine.read((db) => followMasterKey(db, vault));
}

async function organizationSettings({ engine, vault, clock }: StoreContext, organization: OrganizationId): Promise<OrganizationSettings | null> {
  const row = await engine.read((db) => db.selectFrom('organization as o')
    .leftJoin('organization_data_key as k', 'k.organization', 'o.id')
    .leftJoin('provider_connection as openai', (join) =>
      join.onRef('openai.organization', '=', 'o.id').on('openai.provider', '=', 'openai'))
    .leftJoin('provider_connection as anthropic', (join) =>
      join.onRef('anthropic.organization', '=', 'o.id').on('anthropic.provider', '=', 'anthropic'))
    .leftJoin('declared_upstream as u', 'u.organization', 'o.id')
    .leftJoin('grant_key as g', 'g.organization', 'o.id')
    .select([
      'o.plan', 'o.drain_seconds', 'o.fallback_input_nano', 'o.fallback_output_nano', 'k.wrapped',
      'o.enforce_key_caps', 'o.max_run_budget_nano', 'o.run_ceiling_nano', 'o.run_exposure_nano', 'o.agreed_requests', 'o.agreed_tokens',
      'o.unmetered_deferred', 'o.unmetered_unreported', 'o.unmetered_handed_out', 'o.unmetered_hidden',
      'o.wrong_base_url', 'o.models',
      'openai.sealed as openai_sealed', 'openai.version as openai_version',
      'anthropic.sealed as anthropic_sealed', 'anthropic.version as anthropic_version',
      'u.url', 'u.enabled', 'u.sealed as upstream_sealed', 'u.version as upstream_version',
      'g.id as grant_key', 'g.public_key as grant_public_key',
      capsColumn(engine.kind, 'o.id', clock()), namedUpstreamsColumn(engine.kind, 'o.id'),
    ])
    .where('o.id', '=', organization)
    .leftJoin('erased_organization as e', 'e.organization', 'o.id').where('e.organization', 'is', null)
    .executeTakeFirst());
  if (row === undefined) return null;
  const { wrapped, url, enabled, upstream_version: version } = row;
  return {
    id: organization,
    plan: row.plan as Plan,
    openai: connectionOf(vault, { organization, provider: 'openai', wrapped, sealed: row.openai_sealed, version: row.openai_version }),
    anthropic: connectionOf(vault,
      { organization, provider: 'anthropic', wrapped, sealed: row.anthropic_sealed, version: row.anthropic_version }),
    upstream: url === null || enabled === null || version === null ? null
      : upstreamOf(vault, { organization, url, enabled, sealed: row.upstream_sealed, version, wrapped }),
    upstreams: namedUpstreamsFrom(vault, { organization, wrapped, json: row.named_upstreams }),
    fallbackPrice: fallbackPriceOf(row),
    drainSeconds: numberOrNull(row.drain_seconds),
    agreedFigures: agreedFiguresOf(row),
    caps: capsFrom(row.caps),
    enforceKeyCaps: row.enforce_key_caps === 1n,
    runPolicy: runPolicyOf(row),
    unmetered: unmeteredPolicyOf(row),
    wrongBaseUrl: wrongBaseUrlOf(row),
    models: modelsOf(row.models),
    grantKeys: row.grant_key === null || row.grant_public_key === null ? [] : [{ id: row.grant_key, publicKey: row.grant_public_key }],
  };
}
