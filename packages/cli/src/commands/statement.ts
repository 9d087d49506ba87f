/** `metergate statement`: a month's usage, or what each team pays of it, on one printable page or as a ledger. Rules: Interfaces; rule 24b. */
import { resolve } from 'node:path';
import { grouped } from '@metergate/core/books/allocation/page-amounts.ts';
import type { UseCaseContext } from '@metergate/platform/use-cases/context.ts';
import { isRefusal, type AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { makeLedger } from '@metergate/platform/use-cases/statements/ledger.ts';
import { makeStatement } from '@metergate/platform/use-cases/statements/month-statement.ts';
import { makeTeamPage } from '@metergate/platform/use-cases/statements/team-page.ts';
import { showTeamStatement, type TeamStatement, type TeamStatementQuery } from '@metergate/platform/use-cases/statements/team-statement.ts';
import { command, UsageFault, type CommandResult, type CommandTools, type Values } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore } from '../command-line/on-store.ts';
import { warnOfRemovedRecords } from '../command-line/records-gone.ts';
import { shortDecimal, table } from '../command-line/table.ts';
import { monthMs, givenWholeNumber } from '../command-line/value-forms.ts';
import { writeWhole } from '../command-line/whole-file.ts';

const dimensions: string[] = ['team'];

/** What may be asked of a statement, beside its month. */
export const statementArguments = {
  org: orgArgument,
  project: { type: 'string', valueHint: 'PROJECT', description: 'Only calls for this project' },
  by: { type: 'enum', options: dimensions, valueHint: 'team', description: 'What each team pays, by the rules of allocation' },
  team: { type: 'string', valueHint: 'TEAM', description: 'What this team pays' },
  version: { type: 'string', valueHint: 'N', description: 'With --by team: one of the closings of the month, from 1' },
  out: { type: 'string', valueHint: 'FILE', description: 'Output file for the page; an existing one is replaced' },
  csv: { type: 'string', valueHint: 'FILE', description: 'Write what each team pays as a ledger; an existing file is replaced' },
  bom: { type: 'boolean', description: 'Begin the CSV with a byte order mark, by which spreadsheets know UTF-8' },
  'decimal-comma': { type: 'boolean', description: 'Write amounts of the CSV with a comma, and separate by semicolons' },
} as const;

export const statement = command({
  description: 'Write the usage of a month, or what each team pays of it, as one printable HTML page',
  args: { month: { type: 'string', required: true, valueHint: 'YYYY-MM', description: 'The month, in UTC' }, ...statementArguments },
  run: writeStatement,
});

type StatementValues = Values<typeof statementArguments> & { readonly month: string };

/** Writes the page of a month, closed or not, or what each team pays of it. @throws UsageFault for a month in another form, or options that clash. */
export function writeStatement(values: StatementValues, tools: CommandTools): Promise<CommandResult> {
  const { org, month, project, by, team, version, out, csv, bom } = values;
  // The only ledger is that of teams.
  const ofTeams = by !== undefined || team !== undefined || csv !== undefined;
  if (!ofTeams && version !== undefined) throw new UsageFault('--version needs --by team.');
  if (!ofTeams && out === undefined) {
    throw new UsageFault('--out FILE is required: the page is written there. month show prints a month, --by team what each team pays.');
  }
  if (ofTeams && project !== undefined) {
    throw new UsageFault(by === undefined && team === undefined
      ? '--csv writes what each team pays, of all projects. For one project: usage --by model --project PROJECT --month YYYY-MM --csv FILE.'
      : '--project cannot be combined with --by team.');
  }
  if (team !== undefined && csv !== undefined) throw new UsageFault('A ledger has all teams: --csv cannot be combined with --team.');
  if (csv === undefined && (bom || values['decimal-comma'])) throw new UsageFault('--bom and --decimal-comma need --csv FILE.');
  const asked = { organization: org, monthMs: monthMs('month', month) };
  return onStore(tools, async (context) => {
    if (ofTeams) {
      return writeTeams(context, {
        ...asked, ...(team === undefined ? {} : { team }),
        ...(version === undefined ? {} : { version: givenWholeNumber('version', version, { min: 1, max: 1_000_000 }) }),
      }, { values, tools });
    }
    const made = await makeStatement(context, { ...asked, ...(project === undefined ? {} : { project }) });
    if (isRefusal(made)) return made;
    await warnOfRemovedRecords(context, { organization: org, sinceMs: asked.monthMs }, tools);
    const bytes = await writeText(tools, out!, made.html);
    const { calls, cost } = made.totals;
    return { json: { calls, cost, bytes, out }, text: `Statement of ${month}: ${countOf(calls, 'call')}, ${cost} USD, written to ${out}.` };
  });
}

/** The page, the ledger, both, or neither: then the figures themselves. */
async function writeTeams(
  context: UseCaseContext, query: TeamStatementQuery, { values, tools }: { readonly values: StatementValues; readonly tools: CommandTools },
): Promise<CommandResult> {
  const { month, out, csv, bom } = values;
  if (out === undefined && csv === undefined) {
    const shown = await showTeamStatement(context, query);
    return isRefusal(shown) ? shown : { json: shown, text: (width) => teamsText(shown, width) };
  }
  const page = out === undefined ? null : await makeTeamPage(context, query);
  if (isRefusal(page)) return page;
  const ledger = csv === undefined ? null : await makeLedger(context, query, { byteOrderMark: bom, decimalComma: values['decimal-comma'] });
  if (ledger !== null && isRefusal(ledger)) return withoutRules(ledger, month);
  if (page !== null) await writeText(tools, out!, page.html);
  if (ledger !== null) await writeText(tools, csv!, ledger.text);
  const charge = page?.totals.charge ?? ledger!.charge;
  return {
    json: { charge, ...(page === null ? {} : { out }), ...(ledger === null ? {} : { csv, lines: ledger.lines }) },
    text: `${month}: ${charge} USD, written to ${[out, csv].filter((path) => path !== undefined).join(' and ')}.`,
  };
}

/** Whoever has no rules may have wanted the month by project or model. */
function withoutRules({ refused }: AdministrationRefusal, month: string): AdministrationRefusal {
  if (refused.code !== 'no_allocation') return { refused };
  const instead = `Without them: usage --by project --month ${month} --csv FILE.`;
  return { refused: { ...refused, message: `${refused.message} ${instead}` } };
}

async function writeText(tools: CommandTools, path: string, text: string): Promise<number> {
  return writeWhole(resolve(tools.cwd, path), (async function* () { yield Buffer.from(text, 'utf8'); })());
}

function teamsText({ teams, totals, currency, before }: TeamStatement, width: number | null): string {
  const lacking = ({ unknownCalls, unpricedCalls, gapCalls }: typeof totals): number => unknownCalls + unpricedCalls + gapCalls;
  const all = { ...totals, team: 'all', account: null, costCentre: null, before: before?.totals ?? null };
  const rows = [...teams, ...(teams.length === 1 ? [] : [all])]
    .map((team) => [
      team.team ?? '(unallocated)', team.account, team.costCentre, grouped(team.calls), grouped(lacking(team)), shortDecimal(team.adjustedCost),
      shortDecimal(team.markup), shortDecimal(team.charge), ...(currency === null ? [] : [shortDecimal(team.converted ?? '0.000000000')]),
      ...(before === null ? [] : [shortDecimal(team.before?.charge ?? '0.000000000')]),
    ]);
  const heads = ['TEAM', 'ACCOUNT', 'CENTRE', 'CALLS', 'LACKING', 'ADJUSTED USD', 'MARKUP', 'CHARGE USD',
    ...(currency === null ? [] : [currency.code]), ...(before === null ? [] : [before.month])];
  return table(heads, rows, { widthMax: width, shrinks: 'TEAM', drops: ['LACKING', 'CENTRE', 'ACCOUNT'] });
}
