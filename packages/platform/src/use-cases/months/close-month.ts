/**
 * Closing a month: its figures, corrections and allocation are frozen and signed, with the place up to which the chain of receipts was counted.
 * What comes later, calls as well as corrections, goes into the month that is closed next, with a reference. Rule 24b; decision 145.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { monthAfter, monthName } from '@metergate/core/time/utc-month.ts';
import { lastClosed, type ClosedMonth } from '@metergate/store/receipts/month-versions.ts';
import type { Organization } from '@metergate/store/settings/organizations.ts';
import { allocated } from '../allocation/month-allocation.ts';
import { keyOwners, monthToAllocate } from '../allocation/month-to-allocate.ts';
import { allocationDocument, rulesOf } from '../allocation/rules-fields.ts';
import type { UseCaseContext } from '../context.ts';
import { findOrganization } from '../organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';
import { labelsAskedFor } from './asked-labels.ts';
import { frozenLines, type FrozenAllocation } from './frozen-lines.ts';
import { gatherMonth, type CountedMonth } from './gather-month.ts';
import { throughSlices } from './in-turns.ts';
import { nodesWaitedFor, type AwaitedNode } from './month-waiting.ts';

export interface CloseMonthInput {
  /** Id or name. */
  readonly organization: string;
  /** The first instant of the month. */
  readonly monthMs: number;
  /** Nodes whose calls are not waited for. */
  readonly without?: readonly string[];
  /** No node is waited for. */
  readonly goOn?: boolean;
}

/**
 * Refuses `month_not_over`, `month_closed`, `month_order`, `month_incomplete`, `month_waiting`, `month_changed`, `no_receipts`, `too_many_parts`,
 * `unknown_organization`.
 */
export async function closeMonth(context: UseCaseContext, input: CloseMonthInput): Promise<ClosedMonth | AdministrationRefusal> {
  const organization = await findOrganization(context, input.organization);
  if (isRefusal(organization)) return organization;
  const { monthMs } = input;
  const versions = await context.store.months.list(organization.id);
  const refusal = refusalOf(context, { organization, monthMs, versions });
  if (refusal !== null) return refusal;
  const awaited = await nodesWaitedFor(context, organization.id, monthMs);
  const left = input.goOn === true ? [] : awaited.filter(({ node }) => input.without?.includes(node) !== true);
  if (left.length > 0) return refuseInput('month_waiting', waitingSentence(monthMs, left));
  return frozen(context, {
    organization: organization.id, monthMs, versions, awaited, goneMs: organization.recordsGoneBeforeMs,
  });
}

interface Asked {
  readonly organization: Organization;
  readonly monthMs: number;
  readonly versions: readonly ClosedMonth[];
}

function refusalOf(context: UseCaseContext, { organization, monthMs, versions }: Asked): AdministrationRefusal | null {
  const month = monthName(monthMs);
  if (monthAfter(monthMs) > context.nowMs) {
    return refuseInput('month_not_over', `${month} is not over. A month can be closed once it has ended, in UTC.`);
  }
  const closed = versions.filter(({ reopenedAtMs }) => reopenedAtMs === null);
  if (closed.some((each) => each.monthMs === monthMs)) return refuseInput('month_closed', `${month} is closed. Reopen it to close it again.`);
  const last = lastClosed(versions);
  if (last !== null && last.monthMs > monthMs) {
    return refuseInput('month_order', `${monthName(last.monthMs)} is closed already. Months are closed in their order: reopen it first.`);
  }
  if (last !== null && monthAfter(last.monthMs) < monthMs) {
    return refuseInput('month_order', `The last closed month is ${monthName(last.monthMs)}. Close ${monthName(monthAfter(last.monthMs))} first.`);
  }
  const { recordsGoneBeforeMs: goneMs } = organization;
  if (goneMs !== null && goneMs > monthMs) {
    return refuseInput('month_incomplete',
      `Records before ${isoText(goneMs)} were removed for their age, so ${month} is incomplete and cannot be closed.`);
  }
  return null;
}

/** Names every node and why; for the answer of a closing that waits. */
function waitingSentence(monthMs: number, left: readonly AwaitedNode[]): string {
  return `Calls of ${monthName(monthMs)} may still come. ${left.map(({ node, reason }) => `${node}: ${reason}`).join(' ')} `
    + 'Try again later, or close the month without them: what they ship later goes into the month that is closed next.';
}

interface ToFreeze {
  readonly organization: OrganizationId;
  readonly monthMs: number;
  readonly versions: readonly ClosedMonth[];
  readonly awaited: readonly AwaitedNode[];
  /** Records of calls before it were removed for their age; null: none were. */
  readonly goneMs: number | null;
}

async function frozen(context: UseCaseContext, found: ToFreeze): Promise<ClosedMonth | AdministrationRefusal> {
  const { organization, monthMs, versions } = found;
  const { store } = context;
  const chain = await store.receipts.open(organization);
  const sequence = chain.length;
  const { hash } = await store.receipts.standing(organization, sequence) ?? { hash: null };
  const month = monthName(monthMs);
  const inForce = await rulesInForce(context, organization);
  const isAsked = await labelsAskedFor(context, organization, inForce === null ? [] : [inForce.rules]);
  const counted = await gatherMonth(context, { ...found, sequence, isAsked });
  const allocation = inForce === null ? null : await allocationOf(context, { ...found, counted, inForce });
  if (allocation !== null && isRefusal(allocation)) return allocation;
  const lines = await throughSlices(frozenLines({ month, ...counted, allocation, without: found.awaited }, context.randomBytes));
  const version = versions.filter((each) => each.monthMs === monthMs).length + 1;
  const closedAtMs = Math.floor(context.nowMs);
  const signed = hash === null ? null : chain.signMonth({
    month, version, closedAt: isoText(closedAtMs), sequence, hash, digest: lines.digest,
  });
  if (hash === null || signed === null) {
    return refuseInput('no_receipts',
      "The organization's key for signing receipts cannot be read, so no month can be signed. Restore the store from a backup.");
  }
  const gone = (await store.organizations.find(organization))?.recordsGoneBeforeMs ?? null;
  if (gone !== null && gone > monthMs) return refuseInput('month_incomplete', `Records of ${month} were removed for their age meanwhile.`);
  return store.months.close({
    organization, monthMs, version, closedAtMs, sequence, hash, digest: lines.digest, ...signed, after: lastClosed(versions), parts: lines.parts,
    names: lines.names,
  });
}

/** Null: there are none. */
async function rulesInForce(context: UseCaseContext, organization: OrganizationId): Promise<Pick<FrozenAllocation, 'text' | 'rules'> | null> {
  const text = await context.store.allocation.find(organization);
  return text === null ? null : { text, rules: rulesOf(allocationDocument(text)) };
}

interface ToAllocate extends Pick<ToFreeze, 'organization' | 'versions'> {
  readonly counted: CountedMonth;
  readonly inForce: Pick<FrozenAllocation, 'text' | 'rules'>;
}

async function allocationOf(
  context: UseCaseContext, { organization, versions, counted, inForce }: ToAllocate,
): Promise<FrozenAllocation | AdministrationRefusal> {
  const made = await allocated(await monthToAllocate(context, counted, versions), inForce.rules, await keyOwners(context, organization));
  return isRefusal(made) ? made : { ...inForce, made };
}
