/**
 * Long work is done in slices, and others work in between. Where several organizations have work on one thread, the one whose slices took the least
 * processor time so far has the next one: who asks for a hundred reports at once waits for themselves, and so does who asks for long ones.
 * Decision 0109.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

interface Work {
  readonly organization: string;
  readonly isWanted: () => boolean;
}

const whose = new AsyncLocalStorage<Work>();
const nobodys: Work = { organization: '', isWanted: () => true };

/** What waits for its next slice, by organization. The one that had a slice last stands at the end. */
const waiting = new Map<string, (() => void)[]>();
/** What the slices of each took, microseconds, counted from where the others stood when it came. Kept while anybody has slices. */
const stands = new Map<string, number>();
/** Where the organization stood that has the slice, or had the last one. */
let stand = 0;
let isDue = false;
/** A slice counts as one of at least this long, so that short ones alternate. */
const sliceUsMin = 1_000;

/** Work ended because nobody waits for what it makes. */
export class UnwantedWork extends Error {
  constructor() {
    super('Nobody waits for this any more.');
  }
}

/** Runs `work`; its slices, and those of all that it begins, are this organization's. Once it is not wanted, it ends before its next slice. */
export function workFor<T>(organization: string, work: () => T, isWanted: () => boolean = nobodys.isWanted): T {
  return whose.run({ organization, isWanted }, work);
}

/**
 * Resolves when it is this organization's turn. Until then events of the thread are handled, and others have their slices. Work that is done for
 * nobody has turns like an organization's. @throws UnwantedWork where nobody waits for it by then.
 */
export function othersFirst(): Promise<void> {
  const { organization, isWanted } = whose.getStore() ?? nobodys;
  return new Promise((resolve, reject) => {
    const resume = (): void => (isWanted() ? resolve() : reject(new UnwantedWork()));
    const slices = waiting.get(organization);
    if (slices === undefined) join(organization, resume);
    else slices.push(resume);
    if (isDue) return;
    isDue = true;
    setImmediate(giveSlice);
  });
}

/** Who had nothing to do for a while has saved nothing up. */
function join(organization: string, resume: () => void): void {
  waiting.set(organization, [resume]);
  stands.set(organization, Math.max(stand, stands.get(organization) ?? 0));
}

function giveSlice(): void {
  const organization = foremost();
  const slices = waiting.get(organization)!;
  waiting.delete(organization);
  stand = stands.get(organization)!;
  const resume = slices.shift()!;
  if (slices.length > 0) waiting.set(organization, slices);
  const beganUs = workedUs();
  // Its slice follows, and then the events that came meanwhile.
  resume();
  setImmediate(() => {
    stands.set(organization, stand + Math.max(sliceUsMin, workedUs() - beganUs));
    goOn();
  });
}

/** Of several that stand equal, the one that has waited the longest. */
function foremost(): string {
  let [first, least] = ['', Number.POSITIVE_INFINITY];
  for (const organization of waiting.keys()) {
    const at = stands.get(organization)!;
    if (at < least) [first, least] = [organization, at];
  }
  return first;
}

/** Of this thread. While another one has its processor, nobody's slice goes on. */
function workedUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function goOn(): void {
  if (waiting.size > 0) return giveSlice();
  isDue = false;
  stands.clear();
  stand = 0;
}
