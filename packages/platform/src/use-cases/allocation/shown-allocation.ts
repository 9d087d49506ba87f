/** An allocation as it is shown: what each team pays, and for what. Money: US dollars with nine places. Rule 24b. */
import type { Allocation } from '@metergate/core/books/allocation/allocate.ts';
import type { AllocationRules } from '@metergate/core/books/allocation/rules.ts';
import { formatDollars, unformatDollars, type NanoDollars } from '@metergate/core/money.ts';
import { figureIn } from '@metergate/core/report/usage-sum.ts';
import { addedUp, shownUsage, type ShownFigures } from '../usage.ts';

/** What a team pays, with the counts of calls whose cost lacks something. */
export interface ShownTeam extends ShownFigures {
  /** Null: unallocated. */
  readonly team: string | null;
  readonly account: string | null;
  readonly costCentre: string | null;
  /** Of `cost`, its parts of what several pay. */
  readonly splitCost: string;
  readonly correction: string;
  readonly late: string;
  readonly lateCorrection: string;
  /** Cost, correction, and both that came late, together. */
  readonly adjustedCost: string;
  readonly markup: string;
  /** Adjusted cost and markup together. */
  readonly charge: string;
  /** The charge in the currency; null: none is set. */
  readonly converted: string | null;
}

/** What a team pays for calls for one project and of one model. */
export interface ShownAllocationLine extends ShownFigures {
  readonly team: string | null;
  readonly share: 'own' | 'split';
  readonly project: string | null;
  readonly model: string | null;
}

interface ShownCurrency {
  readonly code: string;
  /** How much of it a US dollar is, and of which day that is. */
  readonly rate: string;
  readonly date: string;
}

export interface ShownAllocation {
  readonly month: string;
  /** `running`: not over yet. */
  readonly state: 'running' | 'open' | 'closed';
  /** The closing that is shown; null: it is as it stands now, without what came late. */
  readonly version: number | null;
  /** SHA-256 of the rules' text; null: it was erased. */
  readonly rulesHash: string | null;
  /** Percent; null: none. */
  readonly markup: string | null;
  readonly currency: ShownCurrency | null;
  /** In the order of the alphabet; what is unallocated comes last. */
  readonly teams: readonly ShownTeam[];
  readonly lines: readonly ShownAllocationLine[];
  readonly totals: Omit<ShownTeam, 'team' | 'account' | 'costCentre'>;
}

/** An allocation with what is known of its month and rules. */
export interface MadeAllocation extends Pick<ShownAllocation, 'month' | 'state' | 'version' | 'rulesHash'> {
  readonly rules: AllocationRules;
  readonly made: Allocation;
}

export const money = (amount: bigint): string => formatDollars(amount as NanoDollars);

/** Adds the totals, and the accounts by the rules. */
export function shownAllocation({ rules, made: { lines, teams }, ...about }: MadeAllocation): ShownAllocation {
  const split = Map.groupBy(lines.filter(({ share }) => share === 'split'), ({ team }) => team);
  const accounts = new Map(rules.accounts.map((each) => [each.team, each]));
  const shownTeams = teams.map(({ team, figures, adjustedCost, markup, converted, ...amounts }): ShownTeam => ({
    team, account: accounts.get(team)?.account ?? null, costCentre: accounts.get(team)?.costCentre ?? null,
    ...shownUsage([], { subjects: [], figures }),
    splitCost: money((split.get(team) ?? []).reduce((sum, line) => sum + figureIn(line.figures, 'cost'), 0n)),
    correction: money(amounts.correction), late: money(amounts.late), lateCorrection: money(amounts.lateCorrection),
    adjustedCost: money(adjustedCost), markup: money(markup), charge: money(adjustedCost + markup),
    converted: converted === null ? null : money(converted),
  }));
  return {
    ...about, markup: rules.markup === 0n ? null : money(rules.markup * 100_000n),
    currency: rules.currency === null ? null : { ...rules.currency, rate: money(rules.currency.rate) },
    teams: shownTeams, totals: addedTeams(shownTeams, rules.currency !== null),
    lines: lines.map(({ team, share, project, model, figures }) => ({
      team, share, project: project === '' ? null : project, model: model === '' ? null : model, ...shownUsage([], { subjects: [], figures }),
    })),
  };
}

const moneyNames = ['splitCost', 'correction', 'late', 'lateCorrection', 'adjustedCost', 'markup', 'charge'] as const;

/** All teams together. */
function addedTeams(teams: readonly ShownTeam[], hasCurrency: boolean): ShownAllocation['totals'] {
  const sum = (amounts: readonly string[]): string => money(amounts.reduce((total, amount) => total + unformatDollars(amount), 0n));
  return {
    ...addedUp(teams), ...Object.fromEntries(moneyNames.map((name) => [name, sum(teams.map((team) => team[name]))])) as
      Record<(typeof moneyNames)[number], string>,
    converted: hasCurrency ? sum(teams.map(({ converted }) => converted ?? '0.000000000')) : null,
  };
}
