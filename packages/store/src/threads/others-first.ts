/**
 * Long work is done in slices, and others work in between. Where several organizations have work on one thread, the one whose slices took the least
 * processor time so far has the next one: who asks for a hundred reports at once waits for themselves, and so does who asks for long ones.
 * Decision 0109.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { FairTurns } from './fair-turns.ts';

/** Whose work it is: an organization, or one of a group that has turns as a single asker and takes turns within. */
export type ThreadAsker = string | GroupedAsker;

export interface GroupedAsker {
  readonly group: string;
  readonly name: string;
}

interface Work {
  readonly asker: ThreadAsker;
  readonly isWanted: () => boolean;
}

type Resume = () => void;

interface Slice {
  readonly job: Resume;
  /** For turns within a group. */
  readonly over?: (us: number) => void;
}

const whose = new AsyncLocalStorage<Work>();
const nobodys: Work = { asker: '', isWanted: () => true };

/** Who waits for their next slice. A job tells whose slice it is once it is the turn of its asker, or of its group. */
const turns = new FairTurns<() => Slice>();
/** Within groups. There are as few as the code has names for. */
const groups = new Map<string, FairTurns<Resume>>();
let isDue = false;

/** Work ended because nobody waits for what it makes. */
export class UnwantedWork extends Error {
  constructor() {
    super('Nobody waits for this any more.');
  }
}

/** Runs `work`; its slices, and those of all that it begins, are this asker's. Once it is not wanted, it ends before its next slice. */
export function workFor<T>(asker: ThreadAsker, work: () => T, isWanted: () => boolean = nobodys.isWanted): T {
  return whose.run({ asker, isWanted }, work);
}

/**
 * Resolves when it is this asker's turn. Until then events of the thread are handled, and others have their slices. Work that is done for
 * nobody has turns like an organization's. @throws UnwantedWork where nobody waits for it by then.
 */
export function othersFirst(): Promise<void> {
  const { asker, isWanted } = whose.getStore() ?? nobodys;
  return new Promise((resolve, reject) => {
    wait(asker, () => (isWanted() ? resolve() : reject(new UnwantedWork())));
    if (isDue) return;
    isDue = true;
    setImmediate(giveSlice);
  });
}

function wait(asker: ThreadAsker, resume: Resume): void {
  if (typeof asker === 'string') return turns.add(asker, () => ({ job: resume }));
  let group = groups.get(asker.group);
  if (group === undefined) groups.set(asker.group, group = new FairTurns());
  const within = group;
  within.add(asker.name, resume);
  turns.add(asker.group, () => within.next());
}

function giveSlice(): void {
  const beganUs = workedUs();
  const turn = turns.next();
  const slice = turn.job();
  // Its slice follows, and then the events that came meanwhile.
  slice.job();
  setImmediate(() => {
    const tookUs = workedUs() - beganUs;
    slice.over?.(tookUs);
    turn.over(tookUs);
    if (turns.isEmpty) isDue = false;
    else giveSlice();
  });
}

/** Of this thread. While another one has its processor, nobody's slice goes on. */
function workedUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
