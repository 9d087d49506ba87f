/** How far all figures are proved by their records, and what differs. */
import { isoText } from '@metergate/core/time/iso-text.ts';
import { provedUpTo, type FigureDifference } from '@metergate/store/receipts/proof/figure-proofs.ts';
import type { Store } from '@metergate/store/store.ts';
import { countOf } from '../command-line/counts.ts';
import { secondsText } from '../command-line/table.ts';
import { finding, type Finding } from './finding.ts';

export interface FiguresLook {
  /** All figures agreed with the records that the store held at this instant; null: not all were ever compared. */
  readonly provedUpTo: string | null;
  /** What differs, and what was mended; the newest first. */
  readonly differences: readonly FigureDifference[];
  readonly findings: readonly Finding[];
}

/** A running platform compares everything at least once a day. */
const overdueMs = 2 * 86_400_000;
const listedMax = 100;
const namedMax = 3;

export async function examineFigures({ figureProofs }: Pick<Store, 'figureProofs'>, nowMs: number): Promise<FiguresLook> {
  const all = await figureProofs.all();
  const differences = await figureProofs.differences(listedMax);
  const provedMs = provedUpTo(all);
  const provedAt = isoText(provedMs);
  const isNew = all.every(({ lookedMs }) => lookedMs === 0);
  return { provedUpTo: provedAt, differences, findings: [findingOf({ provedMs, provedUpTo: provedAt, differences, isNew, nowMs })] };
}

function findingOf({ provedMs, provedUpTo: provedAt, differences, isNew, nowMs }: Omit<FiguresLook, 'findings'> & {
  readonly provedMs: number | null; readonly isNew: boolean; readonly nowMs: number;
}): Finding {
  const left = differences.filter(({ mendedMs }) => mendedMs === null);
  const upTo = provedAt === null ? 'Not all figures were compared with their records yet.'
    : `All figures are proved by their records up to ${secondsText(provedAt)}.`;
  if (left.length > 0) {
    const named = left.slice(0, namedMax).map(({ organization, kind, place, kept, derived }) =>
      `${kind} ${JSON.stringify(place)} of ${organization} has ${kept} and the records say ${derived}`);
    const differ = left.length === 1 ? 'differs from its records' : 'differ from their records';
    return finding('figures', 'fail', `${countOf(left.length, 'figure')} of this store ${differ}: ${named.join('; ')}${
      left.length > namedMax ? '; the others with --json' : ''}. ${upTo} docs/operating.md#figures-differ says what to do.`);
  }
  if (provedMs !== null && provedMs < nowMs - overdueMs) {
    return finding('figures', 'warn', `${upTo} A running platform goes on; if it does not, its log says why.`);
  }
  const mended = differences.length;
  const wereMended = mended === 1 ? 'was mended' : 'were mended';
  const repaired = mended === 0 ? '' : ` ${countOf(mended, 'figure')} of usage ${wereMended} in the last 30 days (--json lists them).`;
  const notBegun = 'A running platform compares all figures with their records, and has not begun yet.';
  return finding('figures', 'ok', isNew ? notBegun : `${upTo}${repaired}`);
}
