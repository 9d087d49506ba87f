/**
 * What each team pays of a month → a CSV file for accounting: one line for each team with its account and cost centre, every amount exact, markup
 * and the currency as separate figures. Rule 24b; docs/allocation.md.
 */
import { showAllocation, type AllocationQuery } from '../allocation/month-allocation.ts';
import type { UseCaseContext } from '../context.ts';
import { amountCell, csvFile, type CsvForm, type CsvValue } from '../export/csv.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';

interface Ledger {
  readonly fileName: string;
  readonly text: string;
  /** How many lines it has, without the names of the columns. */
  readonly lines: number;
  /** What they charge together. */
  readonly charge: string;
}

/** Refuses what `showAllocation` refuses. */
export async function makeLedger(context: UseCaseContext, query: AllocationQuery, form: CsvForm): Promise<Ledger | AdministrationRefusal> {
  const found = await showAllocation(context, query);
  if (isRefusal(found)) return found;
  const { month, state, version, currency, teams, totals } = found;
  const rows = teams.map((team): CsvValue[] => {
    const amount = (name: (typeof amountNames)[number]): CsvValue => amountCell(team[name], form);
    return [
      month, team.team, team.account, team.costCentre, ...amountNames.map(amount), currency?.code ?? null,
      amountCell(currency?.rate ?? null, form), currency?.date ?? null, team.calls, team.unknownCalls, team.unpricedCalls, team.gapCalls,
      state, version,
    ];
  });
  return { fileName: `metergate-ledger-${month}.csv`, text: csvFile(heads, rows, form), lines: rows.length, charge: totals.charge };
}

const amountNames = ['charge', 'adjustedCost', 'markup', 'cost', 'correction', 'late', 'lateCorrection', 'converted'] as const;
const heads = [
  'month', 'team', 'account', 'costCentre', ...amountNames, 'currency', 'rate', 'rateDate', 'calls', 'unknownCalls', 'unpricedCalls', 'gapCalls',
  'state', 'version',
];
