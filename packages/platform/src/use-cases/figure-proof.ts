/**
 * How far all figures of the deployment are proved by their records (decision 207), as operators see it. Only for owners of the first organization of
 * the store, like its nodes.
 */
import { isoText } from '@metergate/core/time/iso-text.ts';
import { provedUpTo, type FigureDifference } from '@metergate/store/receipts/proof/figure-proofs.ts';
import type { UseCaseContext } from './context.ts';
import { isOperator, type Asker } from './nodes.ts';
import { refuseInput, type AdministrationRefusal } from './refusal.ts';

interface ShownProof {
  /** All figures agreed with the records that the store held at this instant; null: not all were ever compared. */
  readonly provedUpTo: string | null;
  /** What differs, and what was mended lately, the newest first. */
  readonly differences: readonly ShownDifference[];
}

interface ShownDifference extends Omit<FigureDifference, 'foundMs' | 'mendedMs'> {
  readonly foundAt: string;
  /** Null: it was left as it is. */
  readonly mendedAt: string | null;
}

const listedMax = 100;

/** Refuses `forbidden`. */
export async function showFigureProof(context: UseCaseContext, asker: Asker): Promise<ShownProof | AdministrationRefusal> {
  if (!await isOperator(context, asker)) {
    return refuseInput('forbidden', 'Only owners of the first organization of this deployment, who run it, can see how far its figures are proved.');
  }
  const { figureProofs } = context.store;
  const [all, differences] = await Promise.all([figureProofs.all(), figureProofs.differences(listedMax)]);
  const upToMs = provedUpTo(all);
  return {
    provedUpTo: isoText(upToMs),
    differences: differences.map(({ foundMs, mendedMs, ...difference }) => ({
      ...difference, foundAt: isoText(foundMs), mendedAt: isoText(mendedMs),
    })),
  };
}
