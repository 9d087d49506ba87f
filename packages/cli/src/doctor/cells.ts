/** Whether each cell of the store answers, and whether any takes new organizations. */
import type { Store } from '@metergate/store/store.ts';
import type { CellDifference } from '@metergate/store/operation/cells/directory.ts';
import { countOf } from '../command-line/counts.ts';
import { finding, type Finding } from './finding.ts';

export interface CellsLook {
  /** Empty: the store has no cells but itself. */
  readonly findings: readonly Finding[];
  /** What is asked of organizations can be answered. */
  readonly allAnswer: boolean;
}

export async function examineCells({ cells }: Pick<Store, 'cells'>): Promise<CellsLook> {
  const shown = await cells.list();
  if (shown.length === 0) return { findings: [], allAnswer: true };
  const away = shown.filter((cell) => cell.away !== null);
  const open = shown.filter(({ state }) => state === 'open');
  const { differences, unread } = await cells.compare();
  // Those that answered before and failed meanwhile.
  const failed = unread.filter(({ cell }) => !away.some(({ name }) => name === cell));
  const allAnswer = away.length === 0 && failed.length === 0;
  return { allAnswer, findings: [
    ...differencesFindings(differences),
    ...failed.map(({ cell, why }) => finding('cells', 'fail', `The cell ${cell} failed while it was compared with the store: ${why}`)),
    ...away.map(({ name, organizations, away: why }) =>
      finding('cells', 'fail', `The cell ${name} with ${countOf(organizations, 'organization')} is away: ${why}`)),
    ...(allAnswer ? [finding('cells', 'ok', `${countOf(shown.length, 'cell')}, and each answers.`)] : []),
    ...(open.length === 0 ? [finding('cells', 'warn', 'Every cell is drained, so new organizations go to the default one. Add a cell with: '
      + 'metergate cells add NAME')] : []),
  ] };
}

const sentences: Readonly<Record<CellDifference['what'], string>> = {
  lacking: 'is not in its cell', unplaced: 'is in the cell, and the store does not know it', erased: 'was erased, and is there again',
  keys: 'has keys in the cell that nodes do not find',
};
const namedMax = 5;

/** After the store or a cell was restored to an earlier moment. */
function differencesFindings(differences: readonly CellDifference[]): Finding[] {
  if (differences.length === 0) return [];
  const named = differences.slice(0, namedMax).map(({ cell, name, organization, what }) => `${name} (${organization}, ${cell}) ${sentences[what]}`);
  const more = differences.length > namedMax ? `; and ${differences.length - namedMax} more` : '';
  return [finding('cells', 'fail', 'The store and its cells are of different moments, as after one was restored from a backup: '
    + `${named.join('; ')}${more}. When everything is restored, mend it with: metergate cells mend`)];
}
