/** A plan as text for people: one line for each field that changes, and the entries that stay although the file does not name them. */
import type { PlannedChange, ShownValue } from '@metergate/platform/use-cases/configuration/planned-change.ts';
import { shortDecimal, table } from '../command-line/table.ts';

export function planText(changes: readonly PlannedChange[], left: number): string {
  const staying = left === 1 ? '1 entry is not in the file and stays' : `${left} entries are not in the file and stay`;
  const stays = left === 0 ? [] : [`${staying}; --prune removes what its sections do not name.`];
  if (changes.length === 0) return ['Nothing to do.', ...stays].join('\n');
  const rows = changes.flatMap(({ action, kind, name, fields }) => {
    const what = [action, kind, kind === 'settings' ? null : name] as const;
    return fields.length === 0 ? [[...what, null, null, null]]
      : fields.map(({ field, from, to }) => [...what, field, shown(from), shown(to)]);
  });
  const counts = (['create', 'change', 'remove'] as const)
    .map((action) => `${changes.filter((each) => each.action === action).length} to ${action}`);
  return [table(['DO', 'WHAT', 'NAME', 'FIELD', 'FROM', 'TO'], rows), `${counts.join(', ')}.`, ...stays].join('\n');
}

function shown(value: ShownValue): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.map((each) => shown(each as string | number)).join(', ');
  return typeof value === 'string' && /^\d+\.\d{9}$/.test(value) ? shortDecimal(value) : String(value);
}
