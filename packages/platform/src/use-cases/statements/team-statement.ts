/**
 * What each team pays of a month, with the month before beside it, and for which projects and models: an allocation as a statement tells it. Rule
 * 24b; docs/allocation.md.
 */
import { byTeam } from '@metergate/core/books/allocation/team-costs.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { unformatDollars } from '@metergate/core/money.ts';
import { monthOf } from '@metergate/core/time/utc-month.ts';
import { showAllocation, type AllocationQuery } from '../allocation/month-allocation.ts';
import type { ShownAllocation, ShownAllocationLine, ShownTeam } from '../allocation/shown-allocation.ts';
import type { UseCaseContext } from '../context.ts';
import { findFigures, goneBefore } from '../organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';
import { addedUp, type ShownFigures } from '../usage.ts';

export interface TeamStatementQuery extends AllocationQuery {
  /** Only this team. */
  readonly team?: string;
}

/** What was paid in the month before. */
interface ChargeBefore {
  readonly adjustedCost: string;
  readonly charge: string;
  /** In the currency of that month; null: none was set. */
  readonly converted: string | null;
}

/** A team's calls for one project, or of one model. */
interface StatedPart extends ShownFigures {
  /** Null: calls without one. */
  readonly name: string | null;
}

export interface StatedTeam extends ShownTeam {
  /** Null: there is no month before to compare with. */
  readonly before: ChargeBefore | null;
  /** Costliest first. */
  readonly projects: readonly StatedPart[];
  readonly models: readonly StatedPart[];
}

export interface TeamStatement extends Omit<ShownAllocation, 'teams' | 'lines'> {
  readonly organization: { readonly id: string; readonly name: string };
  /** Set if records of the month were removed for their age: it is incomplete. */
  readonly recordsGoneBefore: string | null;
  /** The month before, as it was closed or as it stands; null: it was closed without rules, or is open and this one is closed. */
  readonly before: (Pick<ShownAllocation, 'month' | 'state' | 'version' | 'currency'> & { readonly totals: ChargeBefore }) | null;
  /** Those of this month and of the month before, in the order of the alphabet; what is unallocated comes last. */
  readonly teams: readonly StatedTeam[];
}

/** Refuses what `showAllocation` refuses, and `unknown_team` for one that pays for nothing in both months. */
export async function showTeamStatement(context: UseCaseContext, query: TeamStatementQuery): Promise<TeamStatement | AdministrationRefusal> {
  const statement = await statementOfTeams(context, query);
  if (isRefusal(statement) || query.team === undefined) return statement;
  const teams = statement.teams.filter(({ team }) => team === query.team);
  return teams.length === 0 ? unknownTeam(statement) : { ...statement, teams };
}

export function unknownTeam({ month }: TeamStatement): AdministrationRefusal {
  return refuseInput('unknown_team', `No such team pays for anything in ${month} or the month before.`);
}

/** With all teams. */
export async function statementOfTeams(context: UseCaseContext, query: AllocationQuery): Promise<TeamStatement | AdministrationRefusal> {
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const month = await showAllocation(context, query);
  if (isRefusal(month)) return month;
  const before = await monthBefore(context, organization.id, { monthMs: monthOf(query.monthMs - 1), isFrozen: month.version !== null });
  const { lines: _, ...about } = month;
  return {
    ...about, organization: { id: organization.id, name: organization.name }, teams: statedTeams(month, before),
    recordsGoneBefore: month.version === null ? goneBefore(organization, query.monthMs) : null,
    before: before === null ? null : {
      month: before.month, state: before.state, version: before.version, currency: before.currency, totals: chargeOf(before.totals),
    },
  };
}

/** Beside a closed month stands only one that is closed too: nothing moves its statement. */
async function monthBefore(
  context: UseCaseContext, organization: OrganizationId, { monthMs, isFrozen }: { readonly monthMs: number; readonly isFrozen: boolean },
): Promise<ShownAllocation | null> {
  const isClosed = async (): Promise<boolean> =>
    (await context.store.months.list(organization)).some((each) => each.monthMs === monthMs && each.reopenedAtMs === null);
  if (isFrozen && !await isClosed()) return null;
  const found = await showAllocation(context, { organization, monthMs });
  return isRefusal(found) ? null : found;
}

function statedTeams(month: ShownAllocation, before: ShownAllocation | null): StatedTeam[] {
  const own = new Map(month.teams.map((each) => [each.team, each]));
  const earlier = new Map(before?.teams.map((each) => [each.team, each]));
  const linesOf = Map.groupBy(month.lines, ({ team }) => team);
  return [...new Set([...own.keys(), ...earlier.keys()])].toSorted(byTeam).map((team): StatedTeam => {
    const counted = linesOf.get(team) ?? [];
    const shown = own.get(team) ?? nothing(earlier.get(team)!, month);
    return {
      ...shown, before: before === null ? null : chargeOf(earlier.get(team) ?? nothing(shown, before)),
      projects: partsBy(counted, 'project'), models: partsBy(counted, 'model'),
    };
  });
}

const zero = '0.000000000';

/** A team that pays for nothing in a month. */
function nothing({ team, account, costCentre }: ShownTeam, { currency }: ShownAllocation): ShownTeam {
  return {
    team, account, costCentre, ...addedUp([]), splitCost: zero, correction: zero, late: zero, lateCorrection: zero, adjustedCost: zero, markup: zero,
    charge: zero, converted: currency === null ? null : zero,
  };
}

function chargeOf({ adjustedCost, charge, converted }: ChargeBefore): ChargeBefore {
  return { adjustedCost, charge, converted };
}

function partsBy(lines: readonly ShownAllocationLine[], dimension: 'project' | 'model'): StatedPart[] {
  return [...Map.groupBy(lines, (line) => line[dimension])].map(([name, same]): StatedPart => ({ name, ...addedUp(same) }))
    .toSorted((one, other) => {
      const [a, b] = [unformatDollars(one.cost), unformatDollars(other.cost)];
      return a === b ? ((one.name ?? '') < (other.name ?? '') ? -1 : 1) : a > b ? -1 : 1;
    });
}
