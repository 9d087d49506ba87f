/**
 * Members of organizations of this cell who own keys or have caps here. Accounts are in the default cell; a cell keeps only what its own
 * transactions ask for: that the person is a member. What the default cell ends ends here too (`celled-store.ts`). Decision 210.
 */
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import { endKeysOf } from '../../accounts/keys-of-people.ts';
import type { StoreContext } from '../../sealing/context.ts';

export interface Guest {
  readonly organization: OrganizationId;
  readonly person: PersonId;
}

export interface Guests {
  /** Repeatable. */
  admit(guest: Guest): Promise<void>;
  /** Of these organizations; left out: of all. */
  list(organizations?: readonly OrganizationId[]): Promise<Guest[]>;
  /** The person's keys in the organization are revoked, and their caps there end. Repeatable. */
  end(guest: Guest): Promise<void>;
}

const organizationsAtOnce = 1_000;

export function guestsIn({ background: engine, clock }: StoreContext): Guests {
  return {
    admit: ({ organization, person }) => engine.write(async (transaction) => {
      const atMs = clock();
      await transaction.insertInto('person').values({
        id: person, email: person, claimed_email: '', name: '', email_verified: 0, image: null, created_at_ms: atMs, updated_at_ms: atMs,
      }).onConflict((conflict) => conflict.doNothing()).execute();
      await transaction.insertInto('membership').values({ organization, person, role: 'viewer', provided_by: null, created_at_ms: atMs })
        .onConflict((conflict) => conflict.doNothing()).execute();
    }),
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
    async end({ organization, person }) {
      await engine.change(async (transaction) => {
        await endKeysOf(transaction, { person, organizations: [organization], atMs: clock() });
        await transaction.deleteFrom('membership').where('organization', '=', organization).where('person', '=', person).execute();
        const elsewhere = await transaction.selectFrom('membership').select('person').where('person', '=', person).limit(1).executeTakeFirst();
        if (elsewhere === undefined) await transaction.deleteFrom('person').where('id', '=', person).execute();
      }, { action: 'removeMember', organization, subject: person });
    },
  };
}
