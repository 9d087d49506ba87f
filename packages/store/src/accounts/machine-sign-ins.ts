/**
 * Machines that sign in for a person: a machine begins one, a person allows or refuses it on a page, and the machine takes the key. Decision 196.
 * A sign-in lives for minutes, gives one key at most, and is kept as digests: nothing here lets anybody take the key.
 */
import { idPrefix, newId, type OrganizationId, type PersonId } from '@metergate/core/id.ts';
import type { Selectable } from 'kysely';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { numberOrNull } from '../schema/schema.ts';
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
}

export interface NewMachineSignIn extends Pick<MachineSignIn, 'machine' | 'address' | 'port' | 'expiresAtMs'> {
  /** SHA-256 of what the machine keeps to itself until it takes the key, base64url. */
  readonly challenge: string;
  /** What a person types; null with a port. */
  readonly userCode: string | null;
}

/** What the machine shows to take the key. */
export interface Taking {
  readonly id: string;
  readonly challenge: string;
  /** SHA-256 of what its browser brought; null: it brought nothing. */
  readonly codeHash: string | null;
}

export interface Allowance {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly person: PersonId;
  /** Null: nothing is carried back by a browser. */
  readonly codeHash: string | null;
}

export interface MachineSignIns {
  /** Drops those that are over. Refuses `too_many_sign_ins`. */
  begin(wanted: NewMachineSignIn): Promise<MachineSignIn | StoreRefusal>;
  /** One that is not over, whatever its state; null if there is none. */
  find(id: string): Promise<MachineSignIn | null>;
  findByUserCode(userCode: string): Promise<MachineSignIn | null>;
  /** Only an open one, once. Refuses `unknown_sign_in`, `sign_in_over`. */
  allow(allowance: Allowance): Promise<MachineSignIn | StoreRefusal>;
  /** As `allow`. */
  refuse(id: string): Promise<MachineSignIn | StoreRefusal>;
  /**
   * For whom the key is to be made: once, and only for the machine that began. Null: nobody has decided yet.
   * Refuses `unknown_sign_in` and, if it was refused or the key was taken, `sign_in_over`.
   */
  take(taking: Taking): Promise<{ readonly organization: OrganizationId; readonly person: PersonId; readonly machine: string } | null | StoreRefusal>;
}

/** How many may be under way in all: they cost a row of the store each, and anybody may begin one. */
export const signInsMax = 10_000;

export function machineSignInsIn({ engine, clock, randomBytes }: StoreContext): MachineSignIns {
  const decide = (id: string, values: Pick<Allowance, 'organization' | 'person' | 'codeHash'> | null) =>
    engine.write<MachineSignIn | StoreRefusal>(async (transaction) => {
      const set = values === null ? { state: 'refused' }
        : { state: 'allowed', organization: values.organization, person: values.person, code_hash: values.codeHash };
      const row = id.includes('\0') ? undefined : await transaction.updateTable('machine_sign_in').set(set)
        .where('id', '=', id).where('state', '=', 'open').where('expires_at_ms', '>', BigInt(clock())).returningAll().executeTakeFirst();
      if (row !== undefined) return signInOf(row);
      const there = id.includes('\0') ? undefined
        : await transaction.selectFrom('machine_sign_in').select('id').where('id', '=', id).where('expires_at_ms', '>',
          BigInt(clock())).executeTakeFirst();
      return there === undefined ? unknownSignIn() : signInOver();
    });
  const found = (column: 'id' | 'user_code', value: string) => engine.read(async (db) => {
    const row = value.includes('\0') ? undefined : await db.selectFrom('machine_sign_in').selectAll()
      .where(column, '=', value).where('expires_at_ms', '>', BigInt(clock())).executeTakeFirst();
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
    findByUserCode: (userCode) => found('user_code', userCode),
    allow: ({ id, ...values }) => decide(id, values),
    refuse: (id) => decide(id, null),
    take: ({ id, challenge, codeHash }) => engine.write(async (transaction) => {
      const row = id.includes('\0') ? undefined : await transaction.selectFrom('machine_sign_in').selectAll()
        .where('id', '=', id).where('expires_at_ms', '>', BigInt(clock())).executeTakeFirst();
      // Somebody who does not hold the proof learns nothing of the sign-in, and ends nothing.
      if (row === undefined || row.challenge !== challenge) return unknownSignIn();
      if (row.state === 'open') return null;
      if (row.state !== 'allowed' || row.code_hash !== codeHash) return row.state === 'allowed' ? unknownSignIn() : signInOver();
      const { numUpdatedRows } = await transaction.updateTable('machine_sign_in').set({ state: 'taken' })
        .where('id', '=', id).where('state', '=', 'allowed').executeTakeFirstOrThrow();
      if (numUpdatedRows !== 1n) return signInOver();
      return { organization: row.organization as OrganizationId, person: row.person as PersonId, machine: row.machine };
    }),
  };
}

function unknownSignIn(): StoreRefusal {
  return refuse('unknown_sign_in', 'There is no such sign-in, or its time is over. Begin again on the machine.');
}

function signInOver(): StoreRefusal {
  return refuse('sign_in_over', 'This sign-in was decided already. Begin again on the machine.');
}

function signInOf({ id, machine, address, port, created_at_ms: created, expires_at_ms: expires,
  state }: Selectable<MachineSignInTable>): MachineSignIn {
  return {
    id, machine, address, port: numberOrNull(port), createdAtMs: Number(created), expiresAtMs: Number(expires),
      state: state as MachineSignIn['state'],
  };
}
