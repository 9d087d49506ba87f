/** The destinations that an organization declares by name, beside the one without a name. Decision 150. URLs are validated before they get here. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { NamedUpstream } from '@metergate/core/account/settings.ts';
import { upstreamNameForm } from '@metergate/core/call/named-upstream.ts';
import type { UpstreamDialect } from '@metergate/core/usage/dialect-names.ts';
import { isMadeAuth, type UpstreamAuth } from '@metergate/core/wire/upstream-auth.ts';
import { sql, type Transaction } from 'kysely';
import type { AuditAction } from '../engine/change.ts';
import type { StoreContext } from '../sealing/context.ts';
import { credentialRefusal, nameRefusal } from '../engine/names.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { Schema } from '../schema/schema.ts';
import { sealFor } from '../sealing/data-key.ts';
import { followMasterKey } from '../sealing/master-key-rotation.ts';
import type { CredentialPlace, Vault } from '../sealing/vault.ts';
import type { ChangeCheck } from './change-check.ts';
import { nothingStays, otherDestination, unreadableStays } from './declared-upstreams.ts';
import { stampOrganization, unknownOrganization } from './organizations.ts';

/** Every node holds all of them. */
export const namedUpstreamsMax = 32;

export interface NewNamedUpstream extends Pick<NamedUpstream, 'name' | 'url' | 'auth' | 'dialect' | 'provider'> {
  /** Empty: the destination needs none. Null: the stored one stays; only to the same URL with the same auth. */
  readonly credential: string | null;
}

/** What a change is checked against: which declaration it is, and whether it can be called. */
export interface DeclaredNamed {
  /** Another one with each declaration, also of the same URL. */
  readonly version: number;
  readonly auth: UpstreamAuth;
  readonly hasCredential: boolean;
}

/** A declaration without its credential. `unreadable`: the credential is stored, but it cannot be unsealed now. */
export interface KeptNamedUpstream extends Omit<NewNamedUpstream, 'credential'>, DeclaredNamed {
  readonly enabled: boolean;
  readonly state: 'readable' | 'unreadable';
}

export interface NamedUpstreams {
  /**
   * Declares it, in place of an earlier one of this name; it starts disabled. Null: done.
   * Refuses `unknown_organization`, `invalid_name` (the URL), `invalid_credential`, `invalid_setting` (too many), and what `check` refuses.
   */
  declare(organization: OrganizationId, wanted: NewNamedUpstream, check?: ChangeCheck<DeclaredNamed | null>): Promise<StoreRefusal | null>;
  /** Null: done. These three refuse `unknown_organization`, `upstream_not_declared`; this one also what `check` refuses. */
  enable(organization: OrganizationId, name: string, check?: ChangeCheck<DeclaredNamed>): Promise<StoreRefusal | null>;
  disable(organization: OrganizationId, name: string): Promise<StoreRefusal | null>;
  remove(organization: OrganizationId, name: string): Promise<StoreRefusal | null>;
  /** In the order of their names. */
  list(organization: OrganizationId): Promise<KeptNamedUpstream[]>;
}

export function namedUpstreamsIn({ engine, vault }: StoreContext): NamedUpstreams {
  /** `work` returns how many declarations it changed. */
  const onDeclared = (
    organization: OrganizationId, name: string, action: AuditAction,
    { check, work }:
    { readonly check?: ChangeCheck<DeclaredNamed> | undefined; readonly work: (transaction: Transaction<Schema>) => Promise<bigint> },
  ) => name.includes('\0') ? Promise.resolve(namedUpstreamNotDeclared(name)) : engine.change<null>(async (transaction, revision) => {
    if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
    const there = check === undefined ? null : await declaredIn(transaction, organization, name);
    const refusal = there === null ? null : check!(there);
    if (refusal !== null) return refusal;
    return await work(transaction) === 1n ? null : namedUpstreamNotDeclared(name);
  }, { action, organization, subject: name });
  const switchTo = (organization: OrganizationId, name: string, enabled: 0 | 1, check?: ChangeCheck<DeclaredNamed>) =>
    onDeclared(organization, name, enabled === 1 ? 'enableNamedUpstream' : 'disableNamedUpstream', { check, work: async (transaction) =>
      (await transaction.updateTable('named_upstream').set({ enabled })
        .where('organization', '=', organization).where('name', '=', name).executeTakeFirstOrThrow()).numUpdatedRows });
  return {
    declare: async (organization, { name, url, credential, auth, dialect, provider }, check) => nameRefusal("An upstream's URL", url, 2_048)
      // What others are made of is sent nowhere, and was judged by who knows its form.
      ?? (credential === null || credential === '' || isMadeAuth(auth) ? null : credentialRefusal("An upstream's credential", credential))
      ?? engine.change<null>(async (transaction, revision) => {
        if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
        const refusal = check?.(await declaredIn(transaction, organization, name)) ?? null;
        if (refusal !== null) return refusal;
        if (await isFull(transaction, organization, name)) {
          return refuse('invalid_setting', `An organization may declare ${namedUpstreamsMax} upstreams by name.`);
        }
        const text = credential ?? await keptIn(transaction, vault, { organization, name, url, auth });
        if (typeof text === 'object') return text;
        const sealed = text === '' ? null
          : await sealFor(transaction, vault, { credential: text, place: namedUpstreamPlace(organization, name, revision) });
        const declaration = { url, enabled: 0, sealed, version: revision, auth, dialect, provider };
        await transaction.insertInto('named_upstream').values({ organization, name, ...declaration })
          .onConflict((conflict) => conflict.columns(['organization', 'name']).doUpdateSet(declaration)).execute();
        return null;
      }, { action: 'declareNamedUpstream', organization, subject: name }),
    enable: (organization, name, check) => switchTo(organization, name, 1, check),
    disable: (organization, name) => switchTo(organization, name, 0),
    remove: (organization, name) => onDeclared(organization, name, 'removeNamedUpstream', { work: async (transaction) =>
      (await transaction.deleteFrom('named_upstream').where('organization', '=', organization).where('name', '=', name)
        .executeTakeFirstOrThrow()).numDeletedRows }),
    list: (organization) => engine.read(async (db) => {
      await followMasterKey(db, vault);
      const rows = await db.selectFrom('named_upstream as u').leftJoin('organization_data_key as k', 'k.organization', 'u.organization')
        .selectAll('u').select('k.wrapped').where('u.organization', '=', organization).orderBy('u.name').execute();
      return rows.map((row) => {
        const { name, url, auth, dialect, provider, sealed } = row;
        const credential = credentialOf(vault, row);
        return {
          name, version: Number(row.version), url,
          auth: auth as UpstreamAuth, dialect: dialect as UpstreamDialect | null, provider, enabled: row.enabled === 1n,
          hasCredential: sealed !== null, state: credential === null ? 'unreadable' as const : 'readable' as const,
        };
      });
    }),
  };
}

async function declaredIn(transaction: Transaction<Schema>, organization: string, name: string): Promise<DeclaredNamed | null> {
  const row = await transaction.selectFrom('named_upstream').select(['version', 'auth', 'sealed'])
    .where('organization', '=', organization).where('name', '=', name).executeTakeFirst();
  return row === undefined ? null : { version: Number(row.version), auth: row.auth as UpstreamAuth, hasCredential: row.sealed !== null };
}

/** The stored credential. */
async function keptIn(
  transaction: Transaction<Schema>, vault: Vault,
  { organization, name, url, auth }: { readonly organization: OrganizationId } & Pick<NewNamedUpstream, 'name' | 'url' | 'auth'>,
): Promise<string | StoreRefusal> {
  await followMasterKey(transaction, vault);
  const row = await transaction.selectFrom('named_upstream as u').leftJoin('organization_data_key as k', 'k.organization', 'u.organization')
    .selectAll('u').select('k.wrapped').where('u.organization', '=', organization).where('u.name', '=', name).executeTakeFirst();
  if (row === undefined || row.sealed === null) return nothingStays();
  return row.url === url && row.auth === auth ? credentialOf(vault, row) ?? unreadableStays() : otherDestination();
}

async function isFull(transaction: Transaction<Schema>, organization: string, name: string): Promise<boolean> {
  const others = await transaction.selectFrom('named_upstream').select('name').where('organization', '=', organization).where('name', '!=', name)
    .execute();
  return others.length >= namedUpstreamsMax;
}

/** The one refusal for every use of a name that is not declared. What cannot be a name is not repeated: it may be a key in the wrong place. */
export function namedUpstreamNotDeclared(name: string): StoreRefusal {
  const named = upstreamNameForm.test(name) ? `named "${name}"` : 'of that name';
  return refuse('upstream_not_declared', `This organization has not declared an upstream ${named}.`);
}

/** An organization's named upstreams, as one JSON text beside the other columns of its row. */
export function namedUpstreamsColumn(engine: 'sqlite' | 'postgres', organization: string) {
  const [array, list, end, hex] = engine === 'sqlite'
    ? [sql.raw('json_array'), sql.raw('json_group_array'), sql.raw(''), sql.raw('hex(n.sealed)')]
    : [sql.raw('json_build_array'), sql.raw('json_agg'), sql.raw('::text'), sql.raw("encode(n.sealed, 'hex')")];
  return sql<string | null>`(select ${list}(${array}(n.name, n.url, n.enabled, ${hex}, cast(n.version as text), n.auth, n.dialect, n.provider)
    order by n.name)${end} from named_upstream as n where n.organization = ${sql.ref(organization)})`.as('named_upstreams');
}

type NamedRow = readonly [
  name: string, url: string, enabled: number, sealed: string | null, version: string, auth: string, dialect: string | null, provider: string | null,
];

/** What `namedUpstreamsColumn` read, unsealed. */
export function namedUpstreamsFrom(vault: Vault, { organization, wrapped, json }: {
  readonly organization: OrganizationId; readonly wrapped: Uint8Array | null; readonly json: string | null;
}): NamedUpstream[] {
  return (JSON.parse(json ?? '[]') as NamedRow[]).map(([name, url, enabled, hex, version, auth, dialect, provider]) => {
    // SQLite writes what is null as no digits.
    const sealed = hex === null || hex === '' ? null : Buffer.from(hex, 'hex');
    return {
      name, url, enabled: Number(enabled) === 1, version: Number(version), auth: auth as UpstreamAuth,
      dialect: dialect as UpstreamDialect | null, provider,
      credential: credentialOf(vault, { organization, name, version: BigInt(version), sealed, wrapped }),
    };
  });
}

interface SealedUpstream {
  readonly organization: string;
  readonly name: string;
  readonly version: bigint;
  readonly sealed: Uint8Array | null;
  readonly wrapped: Uint8Array | null;
}

/** Empty: none is needed. Null: it cannot be unsealed now. */
function credentialOf(vault: Vault, { organization, name, version, sealed, wrapped }: SealedUpstream): string | null {
  if (sealed === null) return '';
  return wrapped === null ? null : vault.unsealCredential(sealed, wrapped, namedUpstreamPlace(organization, name, version));
}

/** A name has no slash, and the one without a name is `upstream`. */
function namedUpstreamPlace(organization: string, name: string, version: bigint): CredentialPlace {
  return { purpose: 'upstream-credential', organization, record: `upstream/${name}`, version };
}
