/** Whether each cell of the store answers, and whether any takes new organizations. */
import type { Store } from '@metergate/store/store.ts';
import { countOf } from '../command-line/counts.ts';
import { finding, type Finding } from './finding.ts';

/** Empty: the store has no cells but itself. */
export async function examineCells({ cells }: Pick<Store, 'cells'>): Promise<Finding[]> {
  const shown = await cells.list();
  if (shown.length === 0) return [];
  const away = shown.filter((cell) => cell.away !== null);
  const open = shown.filter(({ state }) => state === 'open');
  return [
    ...away.map(({ name, organizations, away: why }) =>
      finding('cells', 'fail', `The cell ${name} with ${countOf(organizations, 'organization')} is away: ${why}`)),
    ...(away.length === 0 ? [finding('cells', 'ok', `${countOf(shown.length, 'cell')}, and each answers.`)] : []),
    ...(open.length === 0 ? [finding('cells', 'warn', 'Every cell is drained, so new organizations go to the default one. Add a cell with: '
      + 'metergate cells add NAME')] : []),
  ];
}
