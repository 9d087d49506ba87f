/**
 * Every way into one person's account, and the end of each: the password, identities at a provider, sessions, and the management tokens that
 * they made. Rule 16; decision 103. The person keeps one way to sign in.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { numberOrNull, type Schema } from '../schema/schema.ts';
import { endAllowedSignIns, passwordWay } from './proofs.ts';

export type WayKind = 'password' | 'identity' | 'session' | 'token';

export interface WayIn {
  readonly id: string;
  readonly kind: WayKind;
  /** Of a session or token; null: the password and an identity open every organization of the person. */
  readonly organization: { readonly id: OrganizationId; readonly name: string } | null;
  /** Issuer of the provider, of an identity or of a session that it vouched for; else null. */
  readonly issuer: string | null;
  /** The browser of a session, the name or prefix of a token; null: not known. */
  readonly name: string | null;
  readonly createdAtMs: number;
  /** Null: it does not end by itself. */
  readonly expiresAtMs: number | null;
}

export interface WaysIn {
  /** Those that are open now: ways to sign in, then sessions and tokens, each newest first. */
  list(person: string): Promise<WayIn[]>;
  /**
   * Ends one, and with the password or an identity the sessions that began with it, except `session`, the asker's own.
   * Refuses `unknown_way_in`, `last_way_in` (a person keeps one way to sign in).
   */
  end(person: string, id: string, asker: { readonly organization: OrganizationId; readonly session: string }): Promise<WayIn | StoreRefusal>;
}

/** Enough for anybody; more are not shown. */
const shownMax = 500;

export function waysInIn({ engine, clock }: StoreContext): WaysIn {
  return {
    list: (person) => engine.read((db) => waysOf(db as unknown as Transaction<Schema>, person, clock())),
    end: (person, id, { organization, session }) => engine.change<WayIn>(async (transaction) => {
      const ways = await waysOf(transaction, person, clock());
      const way = ways.find((each) => each.id === id);
      if (way === undefined) return unknownWayIn();
      if (way.kind !== 'token') await endAllowedSignIns(transaction, person);
      if (way.kind === 'session') await transaction.deleteFrom('person_session').where('id', '=', id).where('person', '=', person).execute();
      if (way.kind === 'token') {
        await transaction.updateTable('management_token').set({ revoked_at_ms: clock() }).where('id', '=', id).execute();
      }
      if (way.kind === 'session' || way.kind === 'token') return way;
      if (ways.filter(({ kind }) => kind === 'password' || kind === 'identity').length === 1) {
        return refuse('last_way_in', 'This is the only way to sign in to your account. Add another first.');
      }
      await transaction.deleteFrom('person_credential').where('id', '=', id).where('person', '=', person).execute();
      await transaction.deleteFrom('person_session').where('person', '=', person).where('id', '<>', session)
        .where('provided_by', way.issuer === null ? 'is' : '=', way.issuer).execute();
      return way;
    }, ({ id: subject }) => ({ action: 'endWayIn', organization, subject })),
  };
}

/** The one refusal for what does not exist, has ended or is another person's. */
export function unknownWayIn(): StoreRefusal {
  return refuse('unknown_way_in', 'There is no such way into your account.');
}

async function waysOf(db: Transaction<Schema>, person: string, nowMs: number): Promise<WayIn[]> {
  const now = BigInt(Math.floor(nowMs));
  const credentials = await db.selectFrom('person_credential').select(['id', 'provider', 'created_at_ms', 'updated_at_ms'])
    .where('person', '=', person).orderBy('created_at_ms', 'desc').orderBy('id').execute();
  const sessions = await db.selectFrom('person_session as s').leftJoin('organization as o', 'o.id', 's.organization')
    .select(['s.id', 's.provided_by', 's.user_agent', 's.created_at_ms', 's.expires_at_ms', 'o.id as organization', 'o.name'])
    .where('s.person', '=', person).where('s.expires_at_ms', '>', now).orderBy('s.created_at_ms', 'desc').orderBy('s.id').limit(shownMax).execute();
  const tokens = await db.selectFrom('management_token as t').innerJoin('organization as o', 'o.id', 't.organization')
    .select(['t.id', 't.name as token', 't.prefix', 't.created_at_ms', 't.expires_at_ms', 'o.id as organization', 'o.name'])
    .where('t.made_by_person', '=', person).where('t.revoked_at_ms', 'is', null)
    .where((where) => where.or([where('t.expires_at_ms', 'is', null), where('t.expires_at_ms', '>', now)]))
    .orderBy('t.created_at_ms', 'desc').orderBy('t.id').limit(shownMax).execute();
  return [
    ...credentials.map((row): WayIn => ({
      id: row.id, kind: row.provider === passwordWay ? 'password' : 'identity', organization: null,
      issuer: row.provider === passwordWay ? null : row.provider.replace(/^oidc /, ''), name: null,
      createdAtMs: Number(row.provider === passwordWay ? row.updated_at_ms : row.created_at_ms), expiresAtMs: null,
    })),
    ...sessions.map((row): WayIn => ({
      id: row.id, kind: 'session', organization: placeOf(row), issuer: row.provided_by, name: row.user_agent === '' ? null : row.user_agent,
      createdAtMs: Number(row.created_at_ms), expiresAtMs: Number(row.expires_at_ms),
    })),
    ...tokens.map((row): WayIn => ({
      id: row.id, kind: 'token', organization: placeOf(row), issuer: null, name: row.token ?? row.prefix,
      createdAtMs: Number(row.created_at_ms), expiresAtMs: numberOrNull(row.expires_at_ms),
    })),
  ];
}

function placeOf({ organization, name }: { readonly organization: string | null; readonly name: string | null }): WayIn['organization'] {
  return organization === null || name === null ? null : { id: organization as OrganizationId, name };
}
