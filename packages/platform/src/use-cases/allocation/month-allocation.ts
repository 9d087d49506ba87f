/**
 * What each team pays of a month: as it was closed or, of an open month, as it stands now; and what other rules would have changed. Rule 24b;
 * docs/allocation.md. Money: US dollars with nine places.
 */
import { hash } from 'node:crypto';
import { allocate, splitPartsMax, type Allocation, type MonthToAllocate } from '@metergate/core/books/allocation/allocate.ts';
import { byTeam } from '@metergate/core/books/allocation/team-costs.ts';
import type { AllocationRules, OwnerOf } from '@metergate/core/books/allocation/rules.ts';
import { unformatDollars } from '@metergate/core/money.ts';
import { figuresOfTexts, type AllocationFileLine, type RulesFileLine } from '@metergate/core/books/month/month-file.ts';
import { monthAfter, monthName } from '@metergate/core/time/utc-month.ts';
import type { ClosedMonth } from '@metergate/store/receipts/month-versions.ts';
import type { z } from 'zod';
import type { UseCaseContext } from '../context.ts';
import { labelsAskedFor } from '../months/asked-labels.ts';
import { gatherOwn } from '../months/gather-month.ts';
import { throughSlices } from '../months/in-turns.ts';
import { linesOfMonth, namesOfMonth } from '../months/read-month.ts';
import { findFigures } from '../organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';
import { checkedRules } from './allocation-rules.ts';
import { closedToAllocate, keyOwners, monthToAllocate } from './month-to-allocate.ts';
import { allocationDocument, rulesOf, type allocationFields } from './rules-fields.ts';
import { money, shownAllocation, type MadeAllocation, type ShownAllocation } from './shown-allocation.ts';

export interface AllocationQuery {
  /** Id or name; for an erased organization only its id. */
  readonly organization: string;
  readonly monthMs: number;
  /** One of its closings; by default the one in force. */
  readonly version?: number;
}

/** Refuses `unknown_organization`, `unknown_month` for a version that there is not, `no_allocation`, `too_many_parts`. */
export async function showAllocation(context: UseCaseContext, query: AllocationQuery): Promise<ShownAllocation | AdministrationRefusal> {
  const found = await findMonth(context, query);
  if (isRefusal(found)) return found;
  const { organization, closed, state, month } = found;
  if (closed !== null) {
    const frozen = await frozenAllocation(context, closed);
    return frozen === null ? refuseInput('no_allocation', `${month} was closed without rules of allocation.`)
      : shownAllocation({ month, state, version: closed.version, ...frozen });
  }
  const text = await context.store.allocation.find(organization);
  if (text === null) return refuseInput('no_allocation', noRules);
  const rules = rulesOf(allocationDocument(text));
  const made = await allocated(await openMonth(context, found, [rules]), rules, await keyOwners(context, organization));
  return isRefusal(made) ? made : shownAllocation({ month, state, version: null, rulesHash: hash('sha256', text, 'hex'), rules, made });
}

/** Splits a month, in slices. Refuses `too_many_parts`. */
export async function allocated(month: MonthToAllocate, rules: AllocationRules, ownerOf: OwnerOf): Promise<Allocation | AdministrationRefusal> {
  const made = await throughSlices(allocate(month, rules, ownerOf));
  return made === 'too_many_parts' ? refuseInput('too_many_parts', tooManyParts) : made;
}

const tooManyParts = `What these rules split comes to more than ${splitPartsMax} parts: `
  + 'the projects, models and providers of what is split, '
  + 'times the teams. Split less, or among fewer teams.';

const noRules = 'There are no rules of allocation. Write them into the configuration file, and apply it.';

interface TriedTeam {
  readonly team: string | null;
  /** Adjusted cost by the rules in force, or those that the month was closed with; null: it pays nothing by them. */
  readonly before: string | null;
  readonly after: string | null;
  /** After less before. */
  readonly moved: string;
}

export interface AllocationTrial {
  readonly month: string;
  readonly state: ShownAllocation['state'];
  readonly version: number | null;
  readonly teams: readonly TriedTeam[];
  /** All that would go from one team to another. */
  readonly moved: string;
  readonly adjustedCost: string;
  /** The result of the rules that are tried. */
  readonly after: ShownAllocation;
}

/**
 * What a change of rules would have moved; nothing is changed. Refuses `unknown_organization`, `unknown_month`, `invalid_input`, `too_many_parts`.
 */
export async function tryAllocation(
  context: UseCaseContext, query: AllocationQuery, wanted: z.input<typeof allocationFields>,
): Promise<AllocationTrial | AdministrationRefusal> {
  const text = checkedRules(wanted);
  if (isRefusal(text)) return text;
  const found = await findMonth(context, query);
  if (isRefusal(found)) return found;
  const { organization, closed, state, month, versions } = found;
  const rules = rulesOf(allocationDocument(text));
  const inForce = await context.store.allocation.find(organization);
  const rulesNow = inForce === null ? null : rulesOf(allocationDocument(inForce));
  const given = closed !== null ? await closedToAllocate(context, closed, versions)
    : await openMonth(context, found, rulesNow === null ? [rules] : [rules, rulesNow]);
  const ownerOf = await keyOwners(context, organization);
  const before = closed !== null ? (await frozenAllocation(context, closed))?.made
    : rulesNow === null ? undefined : await allocated(given, rulesNow, ownerOf);
  if (before !== undefined && isRefusal(before)) return before;
  const after = await allocated(given, rules, ownerOf);
  if (isRefusal(after)) return after;
  const [from, to] = [before?.teams ?? [], after.teams].map((teams) => new Map(teams.map(({ team, adjustedCost }) => [team, adjustedCost])));
  const teams = [...new Set([...from!.keys(), ...to!.keys()])].toSorted(byTeam).map((team) =>
    ({ team, before: from!.get(team) ?? null, after: to!.get(team) ?? null }));
  const moves = teams.map((each) => (each.after ?? 0n) - (each.before ?? 0n));
  return {
    month, state, version: closed?.version ?? null,
    teams: teams.map((each, index) => ({
      team: each.team, before: each.before === null ? null : money(each.before), after: each.after === null ? null : money(each.after),
      moved: money(moves[index]!),
    })),
    moved: money(moves.reduce((sum, move) => (move > 0n ? sum + move : sum), 0n)),
    adjustedCost: money(after.teams.reduce((sum, { adjustedCost }) => sum + adjustedCost, 0n)),
    after: shownAllocation({ month, state, version: closed?.version ?? null, rulesHash: hash('sha256', text, 'hex'), rules, made: after }),
  };
}

interface FoundMonth {
  readonly organization: ClosedMonth['organization'];
  readonly monthMs: number;
  readonly month: string;
  readonly state: ShownAllocation['state'];
  /** Null: the month as it stands now. */
  readonly closed: ClosedMonth | null;
  readonly versions: readonly ClosedMonth[];
}

async function findMonth(
  context: UseCaseContext, { organization: idOrName, monthMs, version }: AllocationQuery,
): Promise<FoundMonth | AdministrationRefusal> {
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const versions = await context.store.months.list(organization.id);
  const ofMonth = versions.filter((each) => each.monthMs === monthMs);
  const month = monthName(monthMs);
  const closed = ofMonth.find((each) => (version === undefined ? each.reopenedAtMs === null : each.version === version)) ?? null;
  if (version !== undefined && closed === null) return refuseInput('unknown_month', `${month} has no version ${version}.`);
  const state = monthAfter(monthMs) > context.nowMs ? 'running' : ofMonth.at(-1)?.reopenedAtMs === null ? 'closed' : 'open';
  return { organization: organization.id, monthMs, month, state, closed, versions };
}

async function openMonth(context: UseCaseContext, { organization, monthMs, versions }: FoundMonth, rules: readonly AllocationRules[]) {
  const isAsked = await labelsAskedFor(context, organization, rules);
  const counted = await gatherOwn(context, { organization, monthMs, sequence: Number.MAX_SAFE_INTEGER, isAsked });
  return monthToAllocate(context, counted, versions);
}

/** Null: it was closed without rules. Without the rules' text, which erasure takes, no account is known. */
async function frozenAllocation(context: UseCaseContext, closed: ClosedMonth): Promise<Pick<MadeAllocation, 'rules' | 'made' | 'rulesHash'> | null> {
  const lines = await linesOfMonth(context.store, closed, ['rules', 'allocation', 'team']);
  const frozen = lines.find((line): line is RulesFileLine & { type: 'rules' } => line.type === 'rules');
  if (frozen === undefined) return null;
  const names = await namesOfMonth(context.store, closed, lines.flatMap((line) => (line.type === 'rules' ? [line.text]
    : line.type === 'team' ? [line.team ?? 0] : [line.team ?? 0, line.project, line.model])));
  const nameOf = (number: number): string => names.get(number) ?? (number === 0 ? '' : `erased ${number}`);
  const teamOf = (number: AllocationFileLine['team']): string | null => (number === null ? null : nameOf(number));
  const text = names.get(frozen.text) ?? null;
  const known = text === null ? null : rulesOf(allocationDocument(text));
  return {
    rulesHash: text === null ? null : hash('sha256', text, 'hex'),
    rules: {
      rules: [], rest: null, accounts: known?.accounts ?? [], markup: frozen.markup === null ? 0n : unformatDollars(frozen.markup) / 100_000n,
      currency: frozen.currency === null ? null : { code: frozen.currency, rate: unformatDollars(frozen.rate!), date: frozen.rateDate! },
    },
    made: {
      lines: lines.filter((line) => line.type === 'allocation').map(({ team, share, project, model, figures }) =>
        ({ team: teamOf(team), share, project: nameOf(project), model: nameOf(model), figures: figuresOfTexts(figures) })),
      teams: lines.filter((line) => line.type === 'team').map(
        ({ team, figures, correction, late, lateCorrection, adjustedCost, markup, converted }) => ({
        team: teamOf(team), figures: figuresOfTexts(figures), correction: unformatDollars(correction), late: unformatDollars(late),
        lateCorrection: unformatDollars(lateCorrection), adjustedCost: unformatDollars(adjustedCost), markup: unformatDollars(markup),
        converted: converted === null ? null : unformatDollars(converted),
      })),
    },
  };
}
