/** Which labels rules of allocation ask for: without the others of a call, they decide the same. */
import type { AllocationRules } from './rules.ts';

/** Whether one of these rules, or one of these names, asks for a label. */
export function labelsAskedBy(all: readonly AllocationRules[], names: Iterable<string>): (label: string) => boolean {
  const exact = new Set(names);
  const beginnings = new Set<string>();
  for (const { labels, target } of all.flatMap(({ rules }) => rules)) {
    if (target.kind === 'label') beginnings.add(target.prefix);
    for (const name of labels ?? []) {
      if (name.endsWith('*')) beginnings.add(name.slice(0, -1));
      else exact.add(name);
    }
  }
  const lengths = [...new Set([...beginnings].map(({ length }) => length))];
  return (label) => exact.has(label) || lengths.some((length) => length <= label.length && beginnings.has(label.slice(0, length)));
}
