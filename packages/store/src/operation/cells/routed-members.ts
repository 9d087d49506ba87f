/**
 * Members when there are cells. A change in the default cell that ends a membership, moves it, or lowers its role notes what the organization's own
 * cell has to do about the person's keys and caps there. Whoever made the change has it done at once; if the cell is away, or the process ends
 * in between, the next look of a platform does it. Decision 300.
 */
import type { PersonId } from '@metergate/core/id.ts';
import { isRefusal, type StoreRefusal } from '../../engine/refusal.ts';
import type { GuestChange } from '../../accounts/membership-end.ts';
import type { Invitations } from '../../accounts/invitations.ts';
import type { Members } from '../../accounts/members.ts';
import type { PasswordLinks } from '../../accounts/password-links.ts';
import type { ProvidedPeople } from '../../accounts/provided-people.ts';
import type { Guests } from './guests.ts';
import { inTurns, type CellReach } from './reach.ts';
import type { RoutesOf } from './route.ts';

type Followed = Pick<CellReach, 'cells' | 'home'>;

export const routedMembers: RoutesOf<Members> = {
  list: 'home',
  of: 'home',
  find: 'home',
  findByEmail: 'home',
  create: 'home',
  setRole: async (reach, ...given) => followed(reach, await reach.home.members.setRole(...given)),
  remove: async (reach, ...given) => followed(reach, await reach.home.members.remove(...given)),
};

export const routedProvidedPeople: RoutesOf<ProvidedPeople> = {
  admit: async (reach, identity, named) => followed(reach, await reach.home.providedPeople.admit(identity, named)),
  async withdraw(reach, identity) {
    const person = await reach.home.providedPeople.withdraw(identity);
    if (person !== null) await followed(reach, { id: person });
    return person;
  },
};

export const routedPasswordLinks: RoutesOf<PasswordLinks> = {
  makeFor: 'home',
  makeForMember: 'home',
  find: 'home',
  use: async (reach, ...given) => followed(reach, await reach.home.passwordLinks.use(...given)),
};

export const routedInvitations: RoutesOf<Invitations> = {
  create: 'home',
  listOpen: 'home',
  findOpen: 'home',
  withdraw: 'home',
  accept: async (reach, acceptance) => followed(reach, await reach.home.invitations.accept(acceptance)),
};

export const routedGuests: RoutesOf<Guests> = {
  admit: 'field', list: 'each', end: 'field', move: 'field', stop: 'field', changes: 'home', done: 'home',
};

/** After a change about this person: no other cell is asked than those that have something to do about them. */
async function followed<Changed extends { readonly id: PersonId }>(
  reach: CellReach, changed: Changed | StoreRefusal,
): Promise<Changed | StoreRefusal> {
  if (!isRefusal(changed)) await followGuestChanges(reach, await reach.home.guests.changes(changed.id));
  return changed;
}

/** Does in their cells what changes of memberships left to be done, in the order of the changes. A cell that is away is left for the next time. */
async function followGuestChanges({ cells, home }: Followed, changes: readonly GuestChange[]): Promise<void> {
  const ofCells = new Map<string, GuestChange[]>();
  for (const change of changes) {
    const name = (await cells.of(change.organization).catch(() => null))?.name;
    if (name !== undefined) ofCells.set(name, [...ofCells.get(name) ?? [], change]);
  }
  await inTurns(cells.all.filter(({ name }) => ofCells.has(name)), async (cell) => {
    try {
      for (const change of ofCells.get(cell.name)!) {
        if (cell !== cells.home) await follow((await cell.store()).guests, change);
        await home.guests.done(change);
      }
    } catch {
      // Whoever needs the cell says that it is away.
    }
  });
}

async function follow(guests: Guests, { change, becomes, ...guest }: GuestChange): Promise<void> {
  switch (change) {
    case 'end': return guests.end(guest);
    case 'stop': return guests.stop(guest);
    case 'move': return guests.move({ ...guest, to: becomes! });
  }
}

/** Does what is left to be done in every cell, and ends what people have in cells who are members no more. Once in every look at the cells. */
export async function endFormerGuests({ cells, home }: Followed): Promise<void> {
  await followGuestChanges({ cells, home }, await home.guests.changes());
  await inTurns(cells.all.filter((cell) => cell !== cells.home), async (cell) => {
    try {
      const store = await cell.store();
      const guests = await store.guests.list();
      const members = await home.guests.list([...new Set(guests.map(({ organization }) => organization))]);
      const known = new Set(members.map(placeText));
      // Read last: whose membership is gone by now has the change that is to be followed among these.
      const changing = new Set((await home.guests.changes()).map(placeText));
      for (const guest of guests) if (!known.has(placeText(guest)) && !changing.has(placeText(guest))) await store.guests.end(guest);
    } catch {
      // Whoever needs the cell says that it is away.
    }
  });
}

function placeText({ organization, person }: Pick<GuestChange, 'organization' | 'person'>): string {
  return `${organization} ${person}`;
}
