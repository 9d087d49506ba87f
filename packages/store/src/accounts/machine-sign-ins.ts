/**
 * Machines that sign in for a person: a machine begins one, a person allows or refuses it on a page, and the machine takes the key. Decision 196.
 * A sign-in lives for minutes, gives one key at most, and is kept as digests: nothing here lets anybody take the key.
 */
import { idPrefix, newId, type OrganizationId, type PersonId } from '@metergate/core/id.ts';
import type { Kysely, Selectable } from 'kysely';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { numberOrNull, type Schema } from '../schema/schema.ts';
import type { MachineSignInTable } from '../schema/sign-in-schema.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface MachineSignIn {
  readonly id: string;
  /** The machine's own name, as it says. */
  readonly machine: string;
  /** The network address that it began from. */
  readonly address: string;
  /** Where on itself the machine waits for its browser; null: a person types the code. */
  readonly port: number | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly state: 'open' | 'allowed' | 'refused' | 'taken';
  /** Null: it is open. From then on it is theirs, and nobody else's to see. */
  readonly decidedBy: Decider | null;
}

/** A person, signed in to an organization. */
export interface Decider {
  readonly organization: OrganizationId;
  readonly person: PersonId;
}

interface NewMachineSignIn extends Pick<MachineSignIn, 'machine' | 'address' | 'port' | 'expiresAtMs'> {
  /** SHA-256 of what the machine keeps to itself until it takes the key, base64url. */
  readonly challenge: string;
  /** What a person types; null with a port. */
  readonly userCode: string | null;
}

/** What the machine shows to take the key. */
interface Taking {
  readonly id: string;
  readonly challenge: string;
  /** SHA-256 of what its browser brought; null: it brought nothing. */
  readonly codeHash: string | null;
}

interface Allowance extends Decider {
  readonly id: string;
  /** Null: nothing is carried back by a browser. */
  readonly codeHash: string | null;
}

export interface MachineSignIns {
  /** Drops those that are over. Refuses `too_many_sign_ins`. */
  begin(wanted: NewMachineSignIn): Promise<MachineSignIn | StoreRefusal>;
  /** One that is not over, whatever its state; null if there is none. */
  find(id: string): Promise<MachineSignIn | null>;
  /** An open one: a code is good for one decision. */
  findByUserCode(userCode: string): Promise<MachineSignIn | null>;
  /**
   * Only an open one, once; the machine has `allowedMsMax` to take it. Refuses `sign_in_over` if this person decided it already, and else
   * `unknown_sign_in`.
   */
  allow(allowance: Allowance): Promise<MachineSignIn | StoreRefusal>;
  /** As `allow`; also one that this person allowed, as long as it is not taken. */
  refuse(refusal: Decider & { readonly id: string }): Promise<MachineSignIn | StoreRefusal>;
  /**
   * For whom the key is to be made: once, and only for the machine that began. Null: nobody has decided yet.
   * Refuses `unknown_sign_in` and, if it was refused or the key was taken, `sign_in_over`.
   */
  take(taking: Taking): Promise<TakenSignIn | null | StoreRefusal>;
}

/** For whom a key is to be made, and for which machine. */
interface TakenSignIn extends Decider, Pick<MachineSignIn, 'machine' | 'address'> {}

/** How many may be under way in all: they cost a row of the store each, and anybody may begin one. */
const signInsMax = 10_000;

/** How long an allowed one may be taken: machines ask every two seconds, and a browser brings its code at once. */
const allowedMsMax = 60_000;

export function machineSignInsIn({ engine, clock, randomBytes }: StoreContext): MachineSignIns {
  const live = (db: Kysely<Schema>, column: 'id' | 'user_code', value: string) => value.includes('\0') ? undefined
    : db.selectFrom('machine_sign_in').selectAll().where(column, '=', value).where('expires_at_ms', '>', BigInt(clock())).executeTakeFirst();
  const decide = (state: 'allowed' | 'refused', { id, organization, person, codeHash }: Allowance) =>
    engine.write<MachineSignIn | StoreRefusal>(async (transaction) => {
      const row = await live(transaction, 'id', id);
      if (row === undefined) return unknownSignIn();
      const isTheirs = row.organization === organization && row.person === person;
      if (row.state !== 'open' && !isTheirs) return unknownSignIn();
      if (row.state !== 'open' && !(state === 'refused' && row.state === 'allowed')) return signInOver();
      const expires = state === 'allowed' ? Math.min(Number(row.expires_at_ms), clock() + allowedMsMax) : row.expires_at_ms;
      const decided = await transaction.updateTable('machine_sign_in')
        .set({ state, organization, person, code_hash: codeHash, expires_at_ms: expires })
        .where('id', '=', id).where('state', '=', row.state).returningAll().executeTakeFirst();
      // Somebody else decided it, or the machine took it, in the same moment.
      return decided !== undefined ? signInOf(decided) : isTheirs ? signInOver() : unknownSignIn();
    });
  const found = (column: 'id' | 'user_code', value: string) => engine.read(async (db) => {
    const row = await live(db, column, value);
    return row === undefined ? null : signInOf(row);
  });
  return {
    begin: ({ challenge, machine, address, userCode, port, expiresAtMs }) => engine.write<MachineSignIn | StoreRefusal>(async (transaction) => {
      const nowMs = clock();
      await transaction.deleteFrom('machine_sign_in').where('expires_at_ms', '<=', BigInt(nowMs)).execute();
      const { count } = await transaction.selectFrom('machine_sign_in').select(({ fn }) =>
        fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow();
      if (Number(count) >= signInsMax) return refuse('too_many_sign_ins', 'Too many machines are signing in right now. Try again in a few minutes.');
      return signInOf(await transaction.insertInto('machine_sign_in').values({
        id: newId(idPrefix.machineSignIn, randomBytes), challenge, machine, address, user_code: userCode, port,
        created_at_ms: nowMs, expires_at_ms: expiresAtMs, state: 'open', organization: null, person: null, code_hash: null,
      }).returningAll().executeTakeFirstOrThrow());
    }),
    find: (id) => found('id', id),
    async findByUserCode(userCode) {
      const there = await found('user_code', userCode);
      return there?.state === 'open' ? there : null;
    },
    allow: (allowance) => decide('allowed', allowance),
    refuse: (refusal) => decide('refused', { ...refusal, codeHash: null }),
    async take({ id, challenge, codeHash }) {
      // A machine asks every few seconds, and anybody may ask for anything: what gives nothing writes nothing.
      const row = await engine.read(async (db) => live(db, 'id', id));
      // Somebody who does not hold the proof learns nothing of the sign-in, and ends nothing.
      if (row === undefined || row.challenge !== challenge) return unknownSignIn();
      if (row.state === 'open') return null;
      if (row.state !== 'allowed') return signInOver();
      if (row.code_hash !== codeHash) return unknownSignIn();
      const { numUpdatedRows } = await engine.write((transaction) => transaction.updateTable('machine_sign_in').set({ state: 'taken' })
        .where('id', '=', id).where('state', '=', 'allowed').executeTakeFirstOrThrow());
      if (numUpdatedRows !== 1n) return signInOver();
      return { organization: row.organization as OrganizationId, person: row.person as PersonId, machine: row.machine, address: row.address };
    },
  };
}

function unknownSignIn(): StoreRefusal {
  return refuse('unknown_sign_in', 'There is no such sign-in, or its time is over. Begin again on the machine.');
}

function signInOver(): StoreRefusal {
  return refuse('sign_in_over', 'This sign-in was decided already. Begin again on the machine.');
}

function signInOf(row: Selectable<MachineSignInTable>): MachineSignIn {
  const { id, machine, address, port, created_at_ms: created, expires_at_ms: expires, state, organization, person } = row;
  return {
    id, machine, address, port: numberOrNull(port), createdAtMs: Number(created), expiresAtMs: Number(expires),
    state: state as MachineSignIn['state'],
    decidedBy: organization === null ? null : { organization: organization as OrganizationId, person: person as PersonId },
  };
}
