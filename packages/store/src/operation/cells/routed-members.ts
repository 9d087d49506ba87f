/**
 * Members when there are cells. What ends a membership in the default cell ends the person's keys in the organization's cell, first where that is
 * known beforehand. If it is away, or the process ends in between, the next look of a platform does it (`endFormerGuests`).
 */
import { isRefusal } from '../../engine/refusal.ts';
import type { Members } from '../../accounts/members.ts';
import type { ProvidedPeople } from '../../accounts/provided-people.ts';
import { inTurns, type CellReach } from './reach.ts';
import type { RoutesOf } from './route.ts';

export const routedMembers: RoutesOf<Members> = {
  list: 'home',
  of: 'home',
  find: 'home',
  findByEmail: 'home',
  create: 'home',
  setRole: 'home',
  async remove({ home, of }, organization, person, by) {
    const removed = await home.members.remove(organization, person, by);
    if (isRefusal(removed)) return removed;
    const own = await of(organization);
    if (own !== home) await own.guests.end({ organization, person: removed.id });
    return removed;
  },
};

export const routedProvidedPeople: RoutesOf<ProvidedPeople> = {
  async admit(reach, identity, named) {
    const admitted = await reach.home.providedPeople.admit(identity, named);
    await endFormerGuests(reach);
    return admitted;
  },
  async withdraw(reach, identity) {
    await reach.home.providedPeople.withdraw(identity);
    await endFormerGuests(reach);
  },
};

/** Ends what people have in cells who are members no more. A cell that is away is left for the next time. */
export async function endFormerGuests({ cells, home }: Pick<CellReach, 'cells' | 'home'>): Promise<void> {
  await inTurns(cells.all.filter((cell) => cell !== cells.home), async (cell) => {
    try {
      const store = await cell.store();
      const guests = await store.guests.list();
      const members = await home.guests.list([...new Set(guests.map(({ organization }) => organization))]);
      const known = new Set(members.map(({ organization, person }) => `${organization} ${person}`));
      for (const guest of guests) if (!known.has(`${guest.organization} ${guest.person}`)) await store.guests.end(guest);
    } catch {
      // Whoever needs the cell says that it is away.
    }
  });
}
