/**
 * The one destination that an organization declares itself: URL, sealed credential, enabled or not.
 * Spec: Declared upstream; rule 19. URLs are validated before they get here.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { DeclaredUpstream } from '@metergate/core/account/settings.ts';
import type { Transaction } from 'kysely';
import type { AuditAction } from '../engine/change.ts';
import { sealFor } from '../sealing/data-key.ts';
import { followMasterKey } from '../sealing/master-key-rotation.ts';
import { credentialRefusal, nameRefusal } from '../engine/names.ts';
import type { ChangeCheck } from './change-check.ts';
import { stampOrganization, unknownOrganization } from './organizations.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { CredentialPlace, Vault } from '../sealing/vault.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

/** Which declaration it is. */
export interface DeclaredVersion {
  readonly version: number;
}

/** A declaration without its credential. */
export interface KeptUpstream {
  /** Another one with each declaration, also of the same URL. */
  readonly version: number;
  readonly url: string;
  readonly enabled: boolean;
  readonly hasCredential: boolean;
  /** `unreadable`: the credential is stored, but it cannot be unsealed now. */
  readonly state: 'readable' | 'unreadable';
}

export interface DeclaredUpstreams {
  /**
   * Declares the destination, in place of an earlier one; it starts disabled. An empty credential: none is needed; null: the stored one stays.
   * Null: done. Refuses `unknown_organization`, `invalid_name` (the URL), `invalid_credential`, and what `check` refuses.
   */
  declare(
    organization: OrganizationId, wanted: { readonly url: string; readonly credential: string | null }, check?: ChangeCheck<DeclaredVersion | null>,
  ): Promise<StoreRefusal | null>;
  /** Null: done. These three refuse `unknown_organization`, `upstream_not_declared`; this one also what `check` refuses. */
  enable(organization: OrganizationId, check?: ChangeCheck<DeclaredVersion>): Promise<StoreRefusal | null>;
  disable(organization: OrganizationId): Promise<StoreRefusal | null>;
  remove(organization: OrganizationId): Promise<StoreRefusal | null>;
  show(organization: OrganizationId): Promise<KeptUpstream | null>;
}

export function declaredUpstreamsIn({ engine, vault }: StoreContext): DeclaredUpstreams {
  /** `work` returns how many declarations it changed. */
  const onDeclared = (
    organization: OrganizationId, action: AuditAction,
    { check, work }:
    { readonly check?: ChangeCheck<DeclaredVersion> | undefined; readonly work: (transaction: Transaction<Schema>) => Promise<bigint> },
  ) =>
    engine.change<null>(async (transaction, revision) => {
      if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
      const there = check === undefined ? null : await declaredIn(transaction, organization);
      const refusal = there === null ? null : check!(there);
      if (refusal !== null) return refusal;
      return await work(transaction) === 1n ? null
        : upstreamNotDeclared();
    }, { action, organization, subject: 'upstream' });
  const switchTo = (organization: OrganizationId, action: 'enableUpstream' | 'disableUpstream', check?: ChangeCheck<DeclaredVersion>) =>
    onDeclared(organization, action, { check, work: async (transaction) =>
      (await transaction.updateTable('declared_upstream').set({ enabled: action === 'enableUpstream' ? 1 : 0 })
        .where('organization', '=', organization).executeTakeFirstOrThrow()).numUpdatedRows });
  return {
    declare: async (organization, { url, credential }, check) => nameRefusal("An upstream's URL", url, 2_048)
      ?? (credential === null || credential === '' ? null : credentialRefusal("An upstream's credential", credential))
      ?? engine.change<null>(async (transaction, revision) => {
        if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
        const refusal = check?.(await declaredIn(transaction, organization)) ?? null;
        if (refusal !== null) return refusal;
        const place = upstreamPlace(organization, revision);
        const text = credential ?? await keptIn(transaction, vault, { organization, url });
        if (typeof text === 'object') return text;
        const sealed = text === '' ? null : await sealFor(transaction, vault, { credential: text, place });
        const declaration = { url, enabled: 0, sealed, version: revision };
        await transaction.insertInto('declared_upstream').values({ organization, ...declaration })
          .onConflict((conflict) => conflict.column('organization').doUpdateSet(declaration)).execute();
        return null;
      }, { action: 'declareUpstream', organization, subject: 'upstream' }),
    enable: (organization, check) => switchTo(organization, 'enableUpstream', check),
    disable: (organization) => switchTo(organization, 'disableUpstream'),
    remove: (organization) => onDeclared(organization, 'removeUpstream', { work: async (transaction) =>
      (await transaction.deleteFrom('declared_upstream').where('organization', '=', organization)
        .executeTakeFirstOrThrow()).numDeletedRows }),
    show: (organization) => engine.read(async (db) => {
      await followMasterKey(db, vault);
      const row = await db.selectFrom('declared_upstream')
        .leftJoin('organization_data_key', 'organization_data_key.organization', 'declared_upstream.organization')
        .select(['url', 'enabled', 'sealed', 'version', 'wrapped']).where('declared_upstream.organization', '=', organization)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { url, enabled, credential } = upstreamOf(vault, { organization, ...row });
      const state = credential === null ? 'unreadable' : 'readable';
      return { version: Number(row.version), url, enabled, hasCredential: row.sealed !== null, state };
    }),
  };
}

async function declaredIn(transaction: Transaction<Schema>, organization: OrganizationId): Promise<DeclaredVersion | null> {
  const row = await transaction.selectFrom('declared_upstream').select('version').where('organization', '=', organization).executeTakeFirst();
  return row === undefined ? null : { version: Number(row.version) };
}

/** The stored credential. */
async function keptIn(
  transaction: Transaction<Schema>, vault: Vault, { organization, url }: { readonly organization: OrganizationId; readonly url: string },
): Promise<string | StoreRefusal> {
  await followMasterKey(transaction, vault);
  const row = await transaction.selectFrom('declared_upstream')
    .leftJoin('organization_data_key', 'organization_data_key.organization', 'declared_upstream.organization')
    .select(['url', 'enabled', 'sealed', 'version', 'wrapped']).where('declared_upstream.organization', '=', organization).executeTakeFirst();
  if (row === undefined || row.sealed === null) return nothingStays();
  return row.url === url ? upstreamOf(vault, { organization, ...row }).credential ?? unreadableStays() : otherDestination();
}

/** A credential that nobody can read back is not sent to another destination because somebody names one. */
export function otherDestination(): StoreRefusal {
  return refuse('invalid_credential', 'The stored credential is for another address or another auth, and does not go there. '
    + 'Give the credential of this one, or remove the upstream first if it needs none.');
}

export function nothingStays(): StoreRefusal {
  return refuse('invalid_credential', 'There is no stored credential to keep. Give one, or an empty one if none is needed.');
}

export function unreadableStays(): StoreRefusal {
  return refuse('invalid_credential', 'The stored credential cannot be read now, so it cannot stay. Give it again.');
}

/** The one refusal for every use of a missing declaration. */
export function upstreamNotDeclared(): StoreRefusal {
  return refuse('upstream_not_declared',
    'This organization has not declared an upstream.');
}

/** What is stored of a declaration. */
interface StoredUpstream {
  readonly organization: OrganizationId;
  readonly url: string;
  readonly enabled: bigint;
  readonly sealed: Uint8Array | null;
  readonly version: bigint;
  readonly wrapped: Uint8Array | null;
}

/** The declaration as a gateway node holds it; a credential that cannot be unsealed is null. */
export function upstreamOf(vault: Vault, { organization, url, enabled, sealed, version, wrapped }: StoredUpstream): DeclaredUpstream {
  const unsealed = (): string | null =>
    sealed === null ? '' : wrapped === null ? null : vault.unsealCredential(sealed, wrapped, upstreamPlace(organization, version));
  return { url, enabled: enabled === 1n, version: Number(version), credential: unsealed() };
}

function upstreamPlace(organization: OrganizationId, version: bigint): CredentialPlace {
  return { purpose: 'upstream-credential', organization, record: 'upstream', version };
}
