/**
 * The numbers that nodes poll: those of the latest change of settings, of runs and of leases. A node asks for each up to four times a second,
 * whether anything happened or not. On PostgreSQL each question is a transaction, so what is asked for within a few milliseconds is read
 * together. On SQLite a number is read only if something was committed since it was read last.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from './engine.ts';
import { whileUnchanged, type AskAgain } from './while-unchanged.ts';

type Feed = 'settings' | 'runs' | 'leases';

export interface FeedNumbers {
  /** As it is after the question. @throws StoreFault */
  read(feed: Feed): Promise<number>;
}

const tables: Readonly<Record<Feed, string>> = { settings: 'revision', runs: 'run_feed', leases: 'lease_feed' };
const companyMs = 5;

export function feedNumbersIn(engine: Engine): FeedNumbers {
  return engine.kind === 'sqlite' ? readEach(engine) : readTogether(engine);
}

function readEach(engine: Engine): FeedNumbers {
  const again: Readonly<Record<Feed, AskAgain<number>>> = {
    settings: whileUnchanged(engine), runs: whileUnchanged(engine), leases: whileUnchanged(engine),
  };
  return {
    read: (feed) => again[feed](feed, async () => {
      const [[row] = []] = await engine.look<{ value: bigint }>(`select value from ${tables[feed]}`, noneGiven);
      return Number(row!.value);
    }),
  };
}

const noneGiven = [[]] as const;
// Joined, since Citus sends what is joined to the worker as one statement.
const allFeeds = 'select s.value as settings, r.value as runs, l.value as leases from revision as s, run_feed as r, lease_feed as l';

function readTogether(engine: Engine): FeedNumbers {
  let asked: Promise<Readonly<Record<Feed, bigint>>> | null = null;
  const readAll = async (): Promise<Readonly<Record<Feed, bigint>>> => {
    await pause(companyMs);
    asked = null;
    const [[row] = []] = await engine.look<Readonly<Record<Feed, bigint>>>(allFeeds, noneGiven);
    return row!;
  };
  return {
    async read(feed) {
      asked ??= readAll();
      return Number((await asked)[feed]);
    },
  };
}
