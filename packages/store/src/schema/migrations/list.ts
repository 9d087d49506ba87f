/**
 * All migrations in their order, each with the file of its SQL, whose comment says what it is for. The number of those that have run is the schema's
 * version. One that was released is never changed: what must differ goes into the next.
 */
import { readFileSync } from 'node:fs';
import { onEngine } from './engine-words.ts';

export const migrations = [
  '0001-first-schema', '0002-caps-and-spend', '0003-runs-and-grants', '0004-tap-and-baseline', '0005-accounts', '0006-leases',
  '0007-usage-sums', '0008-who-and-where', '0009-change-notices', '0010-overrun-leases', '0011-cost-gaps', '0012-list-order',
  '0013-attributions', '0014-tap-lines', '0015-receipts', '0016-keys-and-links', '0017-hour-sums', '0018-alerts-and-webhooks',
  '0019-calls-by-id', '0020-server-settings', '0021-provided-people', '0022-corrections', '0023-label-months', '0024-retention',
  '0025-refusals-nodes-views', '0026-label-hours', '0027-provided-sessions', '0028-call-searches', '0029-audit-searches',
  '0030-proved-emails', '0031-spend-days', '0032-usage-hours', '0033-unpriced-calls', '0034-requested-models', '0035-unmetered-work',
  '0036-transports', '0037-price-lists', '0038-wrong-base-url', '0039-sessions', '0040-named-upstreams', '0041-call-corrections',
  '0042-deferred-work', '0043-models', '0044-label-sets', '0045-keys-of-people', '0046-closed-months', '0047-followed-work',
  '0048-calls-of-connections', '0049-allocation', '0050-corrected-spend', '0051-open-work', '0052-oldest-writer', '0053-month-budgets',
  '0054-label-spend', '0055-refusal-entries', '0056-fewer-writes', '0057-figure-proofs', '0058-hours-of-labels', '0059-own-keys',
  '0060-lowered-budgets', '0061-cells', '0062-cell-addresses', '0063-figures-side-by-side', '0064-calls-with-a-session',
  '0065-whose-disabling', '0066-figures-of-runs', '0067-hidden-usage',
] as const;

/**
 * Migrations that leave whole what the version before writes: none of them changes what a batch adds to a sum, or what is read of a record. A
 * migration that is not named here is one after which the store takes no batch of an older version.
 */
const olderMayWrite: ReadonlySet<typeof migrations[number]> = new Set([
  '0053-month-budgets', '0055-refusal-entries', '0056-fewer-writes', '0057-figure-proofs', '0059-own-keys', '0060-lowered-budgets',
  '0061-cells', '0062-cell-addresses', '0063-figures-side-by-side', '0064-calls-with-a-session', '0065-whose-disabling',
  '0066-figures-of-runs', '0067-hidden-usage',
]);

/** The version of the schema that a writer must know at least; what older ones write would be missing from sums. Decision 0104. */
export const oldestWriter = migrations.findLastIndex((migration) => !olderMayWrite.has(migration)) + 1;
/** What this version says of itself when it writes. */
export const ownWriter = migrations.length;

/** A line between two statements, and of which engine the next one is, if not of both. */
const between = /^--(?: (sqlite|postgres) only)?$/m;

/** The statements that make schema `version` out of the one before. */
export function statementsOf(engine: 'sqlite' | 'postgres', version: number): readonly string[] {
  const name = migrations[version - 1];
  const [, ...parts] = readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8').split(between);
  const statements: string[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const only: string | undefined = parts[at];
    if (only === undefined || only === engine) statements.push(onEngine(engine, parts[at + 1]!.trim()));
  }
  return statements;
}
