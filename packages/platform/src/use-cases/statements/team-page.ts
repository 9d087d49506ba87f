/**
 * What each team pays of a month → one page of HTML that prints: first all teams, then each on a separate sheet, or one team alone. Amounts are
 * rounded over all teams, so a team's figure is the same wherever it stands.
 */
import { unformatDollars } from '@metergate/core/money.ts';
import { grouped, PageAmounts } from '@metergate/core/books/allocation/page-amounts.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { ShownTeam } from '../allocation/shown-allocation.ts';
import type { UseCaseContext } from '../context.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { legend, pricesOfRecords, tableOf, withRest } from './month-page.ts';
import { facts, page, pageTable, text } from './page-frame.ts';
import { statementOfTeams, unknownTeam, type StatedTeam, type TeamStatement, type TeamStatementQuery } from './team-statement.ts';

/** The most teams that have a sheet; of any other one asks by its name. */
const sheetsMax = 100;

interface MadePage {
  readonly fileName: string;
  readonly html: string;
  /** Of the team, or of all. */
  readonly totals: Omit<ShownTeam, 'team' | 'account' | 'costCentre'>;
}

/** The statement as a page that prints, with all teams or with one. Refuses what `showTeamStatement` refuses. */
export async function makeTeamPage(context: UseCaseContext, query: TeamStatementQuery): Promise<MadePage | AdministrationRefusal> {
  const statement = await statementOfTeams(context, query);
  if (isRefusal(statement)) return statement;
  const { month, teams, totals } = statement;
  const of = query.team === undefined ? null : teams.find(({ team }) => team === query.team);
  if (of === undefined) return unknownTeam(statement);
  return {
    fileName: `metergate-teams-${month}.html`, totals: of ?? totals,
    html: teamPage(statement, { only: query.team ?? null, madeAt: isoText(context.nowMs) }),
  };
}

type Counts = Pick<StatedTeam, 'calls' | 'unknownCalls' | 'unpricedCalls' | 'gapCalls'>;

/** How amounts are written: of this month, in the currency, and both of the month before. */
interface Amounts {
  readonly dollars: PageAmounts;
  readonly converted: PageAmounts;
  readonly dollarsBefore: PageAmounts;
}

/** A team's amounts in units of the page. */
interface TeamAmounts {
  readonly stated: StatedTeam;
  readonly cost: bigint;
  readonly correction: bigint;
  readonly late: bigint;
  readonly markup: bigint;
  readonly charge: bigint;
  readonly converted: bigint | null;
  readonly before: bigint | null;
}

/** `only`: the team whose sheet it is; null: all. Every name in it is escaped. */
function teamPage(statement: TeamStatement, { only, madeAt }: { readonly only: string | null; readonly madeAt: string }): string {
  const { month, organization, teams, totals } = statement;
  const amounts: Amounts = {
    dollars: new PageAmounts(unformatDollars(totals.charge)), converted: new PageAmounts(unformatDollars(totals.converted ?? '0')),
    dollarsBefore: new PageAmounts(unformatDollars(statement.before?.totals.charge ?? '0')),
  };
  const rounded = roundedTeams(teams, amounts);
  const shown = only === null ? largest(rounded) : rounded.filter(({ stated }) => stated.team === only);
  const sheets = shown.map((team) => sheet(statement, team, amounts));
  const left = only === null ? rounded.length - shown.length : 0;
  return page({ title: `Statement ${month}, ${only ?? organization.name}`, body: `${only === null ? `${overview(statement, rounded, amounts)}
${left === 0 ? '' : `<p>${grouped(left)} teams with smaller charges have no sheet here; each has its own statement.</p>\n`}` : ''}${sheets.join('\n')}
<footer>
${legend(pricesOfRecords)}
<p><b>Charge</b>: cost, corrections by bills and other prices, what came late of closed months, and the markup. What several teams pay is divided by
the rules of allocation; so are the counts of calls.${amounts.dollars.isRounded
    ? ' Amounts are rounded to cents together, so that they add up; the ledger has every digit.' : ''}</p>
<p>Made ${text(madeAt)} by Metergate.</p>
</footer>` });
}

function roundedTeams(teams: readonly StatedTeam[], { dollars, converted, dollarsBefore }: Amounts): TeamAmounts[] {
  const charges = dollars.together(teams.map(({ charge }) => unformatDollars(charge)));
  const others = converted.together(teams.map((team) => unformatDollars(team.converted ?? '0')));
  const before = dollarsBefore.together(teams.map((team) => unformatDollars(team.before?.charge ?? '0')));
  return teams.map((stated, index) => {
    const parts = [stated.cost, stated.correction, stated.late, stated.lateCorrection, stated.markup].map(unformatDollars);
    const charge = charges[index]!;
    const [cost, correction, late, markup] =
      dollars.together([parts[0]!, parts[1]!, parts[2]! + parts[3]!, parts[4]!], charge) as [bigint, bigint, bigint, bigint];
    return {
      stated, cost, correction, late, markup, charge, converted: stated.converted === null ? null : others[index]!,
      before: stated.before === null ? null : before[index]!,
    };
  });
}

/** Those with the largest charges, in their order. */
function largest(teams: readonly TeamAmounts[]): readonly TeamAmounts[] {
  if (teams.length <= sheetsMax) return teams;
  const chosen = new Set(teams.toSorted((one, other) => (one.charge === other.charge ? 0 : one.charge > other.charge ? -1 : 1)).slice(0, sheetsMax));
  return teams.filter((each) => chosen.has(each));
}

function overview(statement: TeamStatement, teams: readonly TeamAmounts[], amounts: Amounts): string {
  const { month, totals, currency, before } = statement;
  const { dollars, converted, dollarsBefore } = amounts;
  const sum = (of: (team: TeamAmounts) => bigint): bigint => teams.reduce((total, team) => total + of(team), 0n);
  const optional = ([['Corrections', 'correction'], ['Late', 'late'], ['Markup', 'markup']] as const)
    .filter(([, name]) => teams.some((team) => team[name] !== 0n));
  const heads = ['', 'Calls', 'Unknown', 'Unpriced', 'Gaps', 'Cost USD', ...optional.map(([head]) => head), 'Charge USD',
    ...(currency === null ? [] : [`Charge ${currency.code}`]), ...(before === null ? [] : [`${before.month} USD`])];
  const counts = (figures: Counts): string[] =>
    [figures.calls, figures.unknownCalls, figures.unpricedCalls, figures.gapCalls].map(grouped);
  const total = ['All teams', ...counts(totals), dollars.text(sum(({ cost }) => cost)),
    ...optional.map(([, name]) => dollars.text(sum((team) => team[name]))), dollars.text(sum(({ charge }) => charge)),
    ...(currency === null ? [] : [converted.text(sum((team) => team.converted ?? 0n))]),
    ...(before === null ? [] : [dollarsBefore.text(sum((team) => team.before ?? 0n))])];
  return `${head(statement, { title: `Statement ${month}`, subtitle: `${statement.organization.name} · ${statement.organization.id}`,
    charge: dollars.text(sum(({ charge }) => charge)), exact: dollars.isRounded ? totals.charge : null,
    converted: currency === null ? null : converted.text(sum((team) => team.converted ?? 0n)),
    before: before === null ? null : dollarsBefore.text(sum((team) => team.before ?? 0n)) })}
${lacking(totals)}
<section><h2>By team</h2>
${pageTable(heads, teams.map((team) => [
    { html: `${text(nameOf(team.stated))}${accountOf(team.stated)}` }, ...counts(team.stated), dollars.text(team.cost),
    ...optional.map(([, name]) => dollars.text(team[name])), dollars.text(team.charge),
    ...(currency === null ? [] : [converted.text(team.converted ?? 0n)]),
    ...(before === null ? [] : [dollarsBefore.text(team.before ?? 0n)]),
  ]), total)}</section>`;
}

function sheet(statement: TeamStatement, team: TeamAmounts, { dollars, converted, dollarsBefore }: Amounts): string {
  const { stated, cost } = team;
  const { currency } = statement;
  return `<article class="team">
${head(statement, { title: nameOf(stated), subtitle: `${statement.organization.name} · statement ${statement.month}${
    stated.account === null && stated.costCentre === null ? '' : ` · ${accountText(stated)}`}`,
    charge: dollars.text(team.charge), exact: dollars.isRounded ? stated.charge : null,
    converted: currency === null ? null : converted.text(team.converted ?? 0n),
    before: team.before === null ? null : dollarsBefore.text(team.before) })}
${facts([
    ['Cost of calls, USD', dollars.text(cost)],
    ...(Number(stated.splitCost) === 0 ? [] : [['of it, parts of shared calls', dollars.alone(unformatDollars(stated.splitCost))] as const]),
    ...([['Corrections, USD', team.correction], ['Late, of closed months, USD', team.late], ['Markup, USD', team.markup]] as const)
      .filter(([, amount]) => amount !== 0n).map(([name, amount]) => [name, dollars.text(amount)] as const),
  ])}
${lacking(stated)}
${stated.projects.length === 0 ? '' : `<section><h2>By project</h2>\n${tableOf(withRest(stated.projects.map(rowOf)), dollars, cost)}</section>
<section><h2>By model</h2>\n${tableOf(withRest(stated.models.map(rowOf)), dollars, cost)}</section>
`}</article>`;
}

const rowOf = ({ name, ...figures }: StatedTeam['projects'][number]) => ({ name, figures });
const nameOf = ({ team }: StatedTeam): string => team ?? 'Unallocated';

function accountText({ account, costCentre }: StatedTeam): string {
  return [...(account === null ? [] : [`account ${account}`]), ...(costCentre === null ? [] : [`cost centre ${costCentre}`])].join(', ');
}

function accountOf(team: StatedTeam): string {
  const account = accountText(team);
  return account === '' ? '' : `<small>${text(account)}</small>`;
}

/** The one place of a sheet that says what its sums lack. */
function lacking({ calls, unknownCalls, unpricedCalls, gapCalls }: Counts): string {
  return calls === 0 ? '<p>No calls in this month.</p>' : unknownCalls + unpricedCalls + gapCalls === 0 ? '<p>The cost of every call is known.</p>'
    : `<p>Calls: ${grouped(calls)}. Of them ${grouped(unknownCalls)} have unknown usage, ${grouped(unpricedCalls)} no price,`
      + ` and ${grouped(gapCalls)} a cost with gaps. They may have cost more.</p>`;
}

interface Head {
  readonly title: string;
  readonly subtitle: string;
  readonly charge: string;
  /** The charge with every digit; null: it is not rounded. */
  readonly exact: string | null;
  readonly converted: string | null;
  readonly before: string | null;
}

function head({ month, state, version, currency, markup, recordsGoneBefore, before: earlier }: TeamStatement, about: Head): string {
  const said = [
    ...(about.exact === null ? [] : [`Exactly ${about.exact} USD.`]),
    ...(currency === null || about.converted === null ? []
      : [`${about.converted} ${currency.code}, at ${shortRate(currency.rate)} of ${currency.date}.`]),
    about.before === null || earlier === null ? 'There is no month before to compare with.' : `${earlier.month}: ${about.before} USD${
      earlier.state === 'closed' ? '' : ', not closed'}.`,
  ];
  const standing = state === 'closed' ? `Closed, version ${version}.` : state === 'running' ? 'The month is not over.' : 'The month is not closed.';
  return `<header>
<div><h1>${text(about.title)}</h1><p>${text(about.subtitle)}</p>
<p>Calls that started in ${text(month)}, UTC. ${text(standing)}${markup === null ? '' : ` Markup ${text(shortRate(markup))} percent.`}</p>${
    recordsGoneBefore === null ? '' : `\n<p>Records before ${text(recordsGoneBefore)} were removed for their age: the month is incomplete.</p>`}</div>
<div class="total large"><p>Charge</p><strong>${text(about.charge)} USD</strong>
${said.map((sentence) => `<p>${text(sentence)}</p>`).join('\n')}</div>
</header>`;
}

/** `0.913700000` → `0.9137`. */
function shortRate(rate: string): string {
  return rate.replace(/\.?0{1,9}$/, '');
}
