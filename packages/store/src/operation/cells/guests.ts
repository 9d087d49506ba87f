/**
 * Members of organizations of this cell who own keys or have caps here. Accounts are in the default cell; a cell keeps only what its own
 * transactions ask for: that the person is a member. What ends, moves or stops in the default cell does so here too. Decisions 210 and 300.
 */
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { endKeysOf, moveKeys, stopKeysOf, type MemberPlace } from '../../accounts/keys-of-people.ts';
import type { GuestChange } from '../../accounts/membership-end.ts';
import type { Schema } from '../../schema/schema.ts';
import type { StoreContext } from '../../sealing/context.ts';

type Guest = MemberPlace;

export interface Guests {
  /** Repeatable. */
  admit(guest: Guest): Promise<void>;
  /** The guests of these organizations; left out: of all. */
  list(organizations?: readonly OrganizationId[]): Promise<Guest[]>;
  /** The person's keys in the organization are revoked, and their caps there end. Repeatable. */
  end(guest: Guest): Promise<void>;
  /** The person's keys and caps in the organization are those of `to`. Repeatable. */
  move(guest: Guest & { readonly to: PersonId }): Promise<void>;
  /** The person's keys in the organization admit no calls until an admin enables them. Repeatable. */
  stop(guest: Guest): Promise<void>;
  /** Of the default cell: what other cells have to do yet, in the order of the changes. `of`: about this person, or for them; left out: all of it. */
  changes(of?: PersonId): Promise<GuestChange[]>;
  /** Of the default cell: the other one has done it. */
  done(change: GuestChange): Promise<void>;
}

const organizationsAtOnce = 1_000;

export function guestsIn(context: StoreContext): Guests {
  const { background: engine } = context;
  // The default cell's change is in the trail already.
  const changed = async (work: (transaction: Transaction<Schema>) => Promise<void>): Promise<void> => void await engine.change(work, () => null);
  return {
    admit: (guest) => engine.write((transaction) => admit(context, transaction, guest)),
    list: (organizations) => engine.read(async (db) => {
      const all = db.selectFrom('membership').select(['organization', 'person']);
      if (organizations === undefined) return await all.execute() as Guest[];
      const found: Guest[] = [];
      for (let from = 0; from < organizations.length; from += organizationsAtOnce) {
        const asked = organizations.slice(from, from + organizationsAtOnce);
        found.push(...await all.where('organization', 'in', asked).execute() as Guest[]);
      }
      return found;
    }),
    end: (guest) => changed(async (transaction) => {
      await endKeysOf(context, transaction, guest);
      await dismiss(transaction, guest);
    }),
    move: ({ to, ...guest }) => changed(async (transaction) => {
      await admit(context, transaction, { ...guest, person: to });
      await moveKeys(transaction, { ...guest, to });
      await dismiss(transaction, guest);
    }),
    stop: (guest) => changed((transaction) => stopKeysOf(context, transaction, guest)),
    changes: (of) => engine.read(async (db) => {
      const all = db.selectFrom('guest_change').selectAll().orderBy('made').orderBy('organization').orderBy('person');
      const rows = await (of === undefined ? all : all.where((where) => where.or([where('person', '=', of), where('becomes', '=', of)]))).execute();
      return rows.map(({ made, organization, person, change, becomes }): GuestChange => ({
        made: Number(made), organization: organization as OrganizationId, person: person as PersonId,
        change: change as GuestChange['change'], becomes: becomes as PersonId | null,
      }));
    }),
    done: ({ made, organization, person }) => engine.write(async (transaction) => {
      await transaction.deleteFrom('guest_change').where('made', '=', BigInt(made)).where('organization', '=', organization)
        .where('person', '=', person).execute();
    }),
  };
}

async function admit({ clock }: StoreContext, transaction: Transaction<Schema>, { organization, person }: Guest): Promise<void> {
  const atMs = clock();
  await transaction.insertInto('person').values({
    id: person, email: person, claimed_email: '', name: '', email_verified: 0, image: null, created_at_ms: atMs, updated_at_ms: atMs,
  }).onConflict((conflict) => conflict.doNothing()).execute();
  await transaction.insertInto('membership').values({ organization, person, role: 'viewer', provided_by: null, created_at_ms: atMs })
    .onConflict((conflict) => conflict.doNothing()).execute();
}

async function dismiss(transaction: Transaction<Schema>, { organization, person }: Guest): Promise<void> {
  await transaction.deleteFrom('membership').where('organization', '=', organization).where('person', '=', person).execute();
  const elsewhere = await transaction.selectFrom('membership').select('person').where('person', '=', person).limit(1).executeTakeFirst();
  if (elsewhere === undefined) await transaction.deleteFrom('person').where('id', '=', person).execute();
}
