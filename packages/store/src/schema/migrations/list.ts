/**
 * All migrations in their order. The number of those that have run is the schema's version. One that was released is
 * never changed: what must differ goes into the next.
 */
import { firstSchema } from './0001-first-schema.ts';
import { capsAndSpend } from './0002-caps-and-spend.ts';
import { runsAndGrants } from './0003-runs-and-grants.ts';
import { tapAndBaseline } from './0004-tap-and-baseline.ts';
import { accounts } from './0005-accounts.ts';
import { leases } from './0006-leases.ts';
import { usageSums } from './0007-usage-sums.ts';
import { whoAndWhere } from './0008-who-and-where.ts';
import { changeNotices } from './0009-change-notices.ts';
import { overrunLeases } from './0010-overrun-leases.ts';
import { costGaps } from './0011-cost-gaps.ts';
import { listOrder } from './0012-list-order.ts';
import { attributions } from './0013-attributions.ts';
import { tapLines } from './0014-tap-lines.ts';
import { receiptTables } from './0015-receipts.ts';
import { keysAndLinks } from './0016-keys-and-links.ts';
import { hourSums } from './0017-hour-sums.ts';
import { alertsAndWebhooks } from './0018-alerts-and-webhooks.ts';
import { callsById } from './0019-calls-by-id.ts';
import { serverSettings } from './0020-server-settings.ts';
import { providedPeople } from './0021-provided-people.ts';
import { corrections } from './0022-corrections.ts';
import { labelMonthSums } from './0023-label-months.ts';
import { retention } from './0024-retention.ts';
import { refusalsNodesViews } from './0025-refusals-nodes-views.ts';
import { labelHours } from './0026-label-hours.ts';
import { providedSessions } from './0027-provided-sessions.ts';
import { callSearches } from './0028-call-searches.ts';
import { auditSearches } from './0029-audit-searches.ts';
import { provedEmails } from './0030-proved-emails.ts';
import { spendDays } from './0031-spend-days.ts';
import { usageHours } from './0032-usage-hours.ts';
import { unpricedCalls } from './0033-unpriced-calls.ts';
import { requestedModels } from './0034-requested-models.ts';
import { unmeteredWork } from './0035-unmetered-work.ts';
import { transports } from './0036-transports.ts';
import { priceLists } from './0037-price-lists.ts';
import { wrongBaseUrl } from './0038-wrong-base-url.ts';
import { sessions } from './0039-sessions.ts';
import { namedUpstreams } from './0040-named-upstreams.ts';
import { callCorrections } from './0041-call-corrections.ts';
import { deferredWork } from './0042-deferred-work.ts';
import { models } from './0043-models.ts';
import { labelSets } from './0044-label-sets.ts';
import { keysOfPeople } from './0045-keys-of-people.ts';
import { closedMonths } from './0046-closed-months.ts';
import { followedWork } from './0047-followed-work.ts';
import { callsOfConnections } from './0048-calls-of-connections.ts';
import { allocationTables } from './0049-allocation.ts';
import { correctedSpend } from './0050-corrected-spend.ts';
import { openWork } from './0051-open-work.ts';
import { oldestWriterStated } from './0052-oldest-writer.ts';
import { monthBudgets } from './0053-month-budgets.ts';
import { labelSpend } from './0054-label-spend.ts';
import { refusalEntries } from './0055-refusal-entries.ts';
import { fewerWrites } from './0056-fewer-writes.ts';
import { figureProofs } from './0057-figure-proofs.ts';
import { hoursOfLabels } from './0058-hours-of-labels.ts';
import { ownKeys } from './0059-own-keys.ts';
import { loweredBudgets } from './0060-lowered-budgets.ts';
import { cellTables } from './0061-cells.ts';
import { cellAddresses } from './0062-cell-addresses.ts';
import { figuresSideBySide } from './0063-figures-side-by-side.ts';
import { callsWithSession } from './0064-calls-with-a-session.ts';
import { whoseDisabling } from './0065-whose-disabling.ts';
import { figuresOfRuns } from './0066-figures-of-runs.ts';
import { hiddenUsage } from './0067-hidden-usage.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  firstSchema, capsAndSpend, runsAndGrants, tapAndBaseline, accounts, leases, usageSums, whoAndWhere, changeNotices, overrunLeases, costGaps,
  listOrder, attributions,
  tapLines, receiptTables, keysAndLinks, hourSums, alertsAndWebhooks, callsById, serverSettings, providedPeople, corrections, labelMonthSums,
  retention, refusalsNodesViews, labelHours, providedSessions, callSearches, auditSearches,
  provedEmails, spendDays, usageHours, unpricedCalls, requestedModels, unmeteredWork, transports, priceLists, wrongBaseUrl,
  sessions, namedUpstreams, callCorrections, deferredWork, models, labelSets, keysOfPeople, closedMonths, followedWork,
  callsOfConnections, allocationTables, correctedSpend, openWork, oldestWriterStated, monthBudgets, labelSpend, refusalEntries,
  fewerWrites, figureProofs, hoursOfLabels, ownKeys, loweredBudgets, cellTables, cellAddresses, figuresSideBySide,
  callsWithSession, whoseDisabling, figuresOfRuns, hiddenUsage,
];

/**
 * Migrations that leave whole what the version before writes: none of them changes what a batch adds to a sum, or what is read of a record. A
 * migration that is not named here is one after which the store takes no batch of an older version.
 */
const olderMayWrite: ReadonlySet<Migration> = new Set([
  monthBudgets, refusalEntries, fewerWrites, figureProofs, ownKeys, loweredBudgets, cellTables,
  cellAddresses, figuresSideBySide, callsWithSession, whoseDisabling, figuresOfRuns, hiddenUsage,
]);

/** The version of the schema that a writer must know at least; what older ones write would be missing from sums. Decision 0104. */
export const oldestWriter = migrations.findLastIndex((migration) => !olderMayWrite.has(migration)) + 1;
/** What this version says of itself when it writes. */
export const ownWriter = migrations.length;
