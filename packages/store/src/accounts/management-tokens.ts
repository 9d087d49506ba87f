/**
 * Management tokens: for automation, of one organization, scoped to a role; kept as their SHA-256 and a prefix.
 * Rule 16. A token never exceeds its maker: if a person made it, their present role bounds it, and it ends with their membership.
 */
import { roleNamed, weakerOf, type Role } from '@metergate/core/account/role.ts';
import { newId, idPrefix, type OrganizationId, type PersonId } from '@metergate/core/id.ts';
import type { Selectable, Transaction } from 'kysely';
import { isAfter, limitOfPage, type ListPage } from '../engine/list-page.ts';
import { nameRefusal } from '../engine/names.ts';
import { stampOrganization, unknownOrganization } from '../settings/organizations.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { numberOrNull, type ManagementTokenTable, type Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface ManagementToken {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly prefix: string;
  readonly name: string | null;
  readonly role: Role;
  /** Null: the operator. */
  readonly madeBy: PersonId | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** A token that works. Its role is the one in force. */
interface LiveManagementToken extends ManagementToken {
  /** The present role of the person who made it; null: the operator did. */
  readonly makerRole: Role | null;
}

interface NewManagementToken extends Omit<ManagementToken, 'id' | 'createdAtMs' | 'revokedAtMs'> {
  /** SHA-256 of the token, lower-case hexadecimal. */
  readonly hash: string;
}

export interface ManagementTokens {
  /** Refuses `unknown_organization`, `invalid_name`. */
  create(token: NewManagementToken): Promise<ManagementToken | StoreRefusal>;
  /** Oldest first, revoked and expired ones included. */
  list(organization: OrganizationId, page?: ListPage): Promise<ManagementToken[]>;
  find(id: string): Promise<ManagementToken | null>;
  /** The live token with this hash; null if there is none. */
  findByHash(hash: string, nowMs: number): Promise<LiveManagementToken | null>;
  /** The token after the change; one that was revoked before stays as it was. Refuses `unknown_token`. */
  revoke(id: string): Promise<ManagementToken | StoreRefusal>;
}

export function managementTokensIn({ engine, clock, randomBytes }: StoreContext): ManagementTokens {
  return {
    async create({ organization, name, role, madeBy, expiresAtMs, hash, prefix }) {
      if (!/^[0-9a-f]{64}$/.test(hash)) throw new RangeError('a management token is kept as 64 hexadecimal characters');
      return (name === null ? null : nameRefusal('A token name', name)) ?? engine.change<ManagementToken>(async (transaction, revision) => {
        if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
        const row = {
          id: newId(idPrefix.managementToken, randomBytes), organization, hash, prefix, name, role, made_by_person: madeBy,
          created_at_ms: clock(), expires_at_ms: expiresAtMs, revoked_at_ms: null,
        };
        return tokenOf(await transaction.insertInto('management_token').values(row).returningAll().executeTakeFirstOrThrow());
      }, ({ id }) => ({ action: 'createToken', organization, subject: id }));
    },
    list: (organization, page = {}) => engine.read(async (db) => (await db.selectFrom('management_token').selectAll()
      .where('organization', '=', organization).where(isAfter(['created_at_ms', 'id'], page))
      .orderBy('created_at_ms').orderBy('id').limit(limitOfPage(page)).execute()).map(tokenOf)),
    find: (id) => engine.read(async (db) => {
      const row = await tokenRow(db as unknown as Transaction<Schema>, id);
      return row === undefined ? null : tokenOf(row);
    }),
    findByHash: (hash, nowMs) => engine.read(async (db) => {
      const row = await db.selectFrom('management_token as t').selectAll('t')
        .leftJoin('membership as m', (join) => join.onRef('m.organization', '=', 't.organization').onRef('m.person', '=', 't.made_by_person'))
        .select('m.role as maker_role')
        .where('t.hash', '=', hash).where('t.revoked_at_ms', 'is', null).executeTakeFirst();
      if (row === undefined || (row.expires_at_ms !== null && Number(row.expires_at_ms) <= nowMs)) return null;
      if (row.made_by_person === null) return { ...tokenOf(row), makerRole: null };
      if (row.maker_role === null) return null;
      const makerRole = roleNamed(row.maker_role);
      return { ...tokenOf(row), role: weakerOf(roleNamed(row.role), makerRole), makerRole };
    }),
    revoke: (id) => {
      const atMs = clock();
      return engine.change<ManagementToken>(async (transaction) => {
        const row = await tokenRow(transaction, id);
        if (row === undefined) return unknownToken();
        if (row.revoked_at_ms !== null) return tokenOf(row);
        await transaction.updateTable('management_token').set({ revoked_at_ms: atMs }).where('id', '=', id).execute();
        return { ...tokenOf(row), revokedAtMs: atMs };
      }, ({ organization, revokedAtMs }) => (revokedAtMs === atMs ? { action: 'revokeToken', organization, subject: id } : null));
    },
  };
}

/** The one refusal for a token that does not exist or is another organization's. */
export function unknownToken(): StoreRefusal {
  return refuse('unknown_token', 'There is no such management token.');
}

async function tokenRow(db: Transaction<Schema>, id: string): Promise<Selectable<ManagementTokenTable> | undefined> {
  if (id.includes('\0')) return undefined;
  return db.selectFrom('management_token').selectAll().where('id', '=', id).executeTakeFirst();
}

function tokenOf(row: Selectable<ManagementTokenTable>): ManagementToken {
  return {
    id: row.id, organization: row.organization as OrganizationId, prefix: row.prefix, name: row.name, role: roleNamed(row.role),
    madeBy: row.made_by_person as PersonId | null, createdAtMs: Number(row.created_at_ms),
    expiresAtMs: numberOrNull(row.expires_at_ms), revokedAtMs: numberOrNull(row.revoked_at_ms),
  };
}
