/**
 * Long work is done in slices, and others work in between. Where several organizations have work on one thread, each has a slice in its turn: who
 * asks for a hundred reports at once waits for themselves. Decision 0109.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const whose = new AsyncLocalStorage<string>();

/** What waits for its next slice, by organization. The one that had a slice last stands at the end. */
const waiting = new Map<string, (() => void)[]>();
let isDue = false;

/** Runs `work`; its slices, and those of all that it begins, are this organization's. */
export function workFor<T>(organization: string, work: () => T): T {
  return whose.run(organization, work);
}

/**
 * Resolves when it is this organization's turn. Until then events of the thread are handled, and others have their slices. Work that is done for
 * nobody has turns like an organization's.
 */
export function othersFirst(): Promise<void> {
  const organization = whose.getStore() ?? '';
  return new Promise((resume) => {
    const slices = waiting.get(organization);
    if (slices === undefined) waiting.set(organization, [resume]);
    else slices.push(resume);
    if (isDue) return;
    isDue = true;
    setImmediate(giveSlice);
  });
}

function giveSlice(): void {
  const [organization, slices] = waiting.entries().next().value!;
  waiting.delete(organization);
  const resume = slices.shift()!;
  if (slices.length > 0) waiting.set(organization, slices);
  // Its slice follows, and then the events that came meanwhile.
  resume();
  setImmediate(goOn);
}

function goOn(): void {
  if (waiting.size > 0) giveSlice();
  else isDue = false;
}
