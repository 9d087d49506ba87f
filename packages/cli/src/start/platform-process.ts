/**
 * The platform's process, as the supervisor sees it: started, watched, stopped. If it dies, calls are still forwarded and a new one takes its
 * place at the same address.
 */
import { resolveFor, type NameToResolve } from '@metergate/store/network/name-port.ts';
import type { NameResolver } from '@metergate/store/network/name-resolver.ts';
import type { PlatformProcessData } from '@metergate/platform/platform-process.ts';
import type { SettlingFigures } from '@metergate/platform/work-figures.ts';
import type { ProofFigures } from '@metergate/platform/proof/prove-work.ts';
import type { PriceFigures } from '@metergate/platform/price-feed/run-feed.ts';
import { forkedThread, type ForkedThread } from './forked-thread.ts';
import type { CapFigures, RetentionFigures } from './metrics/metrics-text.ts';
import { pulseMs, type ThreadPulse } from './thread-pulse.ts';
import { ended, firstMessage, leaveOf, pulseOf } from './threads.ts';

export interface PlatformThread {
  /** The port it listens on, also where 0 was asked for. */
  readonly port: number;
  /** Organizations near their caps, as last counted; null: not yet. */
  caps(): CapFigures | null;
  /** How far removal is behind records' ages, as last measured; null: not yet. */
  retention(): RetentionFigures | null;
  proofs(): ProofFigures | null;
  /** The price feed and the age of the list in force, as last looked at; null: not yet. */
  prices(): PriceFigures | null;
  /** Work that is billed later, as last looked at; null: not yet. */
  settling(): SettlingFigures | null;
  /** Resident memory of its process, as it last said; null: not yet. */
  residentBytes(): number | null;
  /** Whether it answers. A thread that ended is silent until the next one listens. Null: it was stopped. */
  pulse(): ThreadPulse | null;
  /** The process will stop: once this resolves, its answers announce it. */
  leave(): Promise<void>;
  /** Takes no more connections; requests under way may last another `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** What the platform reports for the log. */
export type PlatformLog = (level: 'warn' | 'info', sentence: string) => void;

export interface PlatformNeeds {
  readonly data: PlatformProcessData;
  readonly names: NameResolver;
}

/** Before another takes the place of one that ended; twice as long after each that does not listen. */
const restartMs = 1_000;
const restartMsMax = 30_000;
/** What a stopping platform may take beyond its grace: each work has a second for its end. */
const endMs = 6_000;

/** Resolves when it listens. @throws ThreadFault with the system's code if the address cannot be bound */
export async function startPlatformThread({ data, names }: PlatformNeeds, log: PlatformLog): Promise<PlatformThread> {
  let leaving = false;
  let stopping: { readonly stop: true; readonly graceMs: number } | null = null;
  let [restart, waitMs]: [NodeJS.Timeout | null, number] = [null, restartMs];
  const { hear, figures } = hearing(log);
  const first = await spawned(data, { names, hear });
  let worker = watched(first.worker);
  let pulse = pulseOf('platform', worker);
  const { port } = first;
  return {
    port,
    ...figures,
    pulse: () => (stopping !== null && worker.threadId === -1 ? null : pulse),
    async leave() {
      leaving = true;
      if (worker.threadId !== -1) await leaveOf(worker);
    },
    async stop(graceMs) {
      stopping = { stop: true, graceMs };
      if (restart !== null) clearTimeout(restart);
      worker.postMessage(stopping);
      const byMs = performance.now() + graceMs + endMs;
      const looking = setInterval(() => {
        if (!pulse.isSilent && performance.now() < byMs) return;
        clearInterval(looking);
        log('warn', 'The platform thread did not end in time and was killed.');
        worker.kill();
      }, pulseMs);
      await ended(worker);
      clearInterval(looking);
    },
  };

  function watched(each: ForkedThread): ForkedThread {
    each.on('exit', (_code: number, signal: string | null) => again(signal === null ? '' : `, by ${signal},`));
    return each;
  }

  function again(how: string): void {
    if (stopping !== null) return;
    log('warn', `The platform thread ended${how} and is being restarted. Calls are still forwarded.`);
    restart = setTimeout(() => void startAgain(), waitMs);
    waitMs = Math.min(restartMsMax, 2 * waitMs);
  }

  async function startAgain(): Promise<void> {
    try {
      worker = watched((await spawned({ ...data, port }, { names, hear })).worker);
      waitMs = restartMs;
      pulse = pulseOf('platform', worker);
      if (leaving) worker.postMessage({ leave: true });
      if (stopping !== null) worker.postMessage(stopping);
    } catch {
      again('');
    }
  }
}

/** What it says of itself, any of these. */
interface Said {
  readonly warning?: string;
  readonly note?: string;
  readonly caps?: CapFigures;
  readonly retention?: RetentionFigures;
  readonly prices?: PriceFigures;
  readonly proofs?: ProofFigures;
  readonly settling?: SettlingFigures;
  readonly residentBytes?: number | null;
  readonly broke?: string;
}

type PlatformFigures = Pick<PlatformThread, 'caps' | 'retention' | 'proofs' | 'prices' | 'settling' | 'residentBytes'>;

/** Hears a process from its first message on; the figures are the latest of any that was heard. */
function hearing(log: PlatformLog): { readonly hear: (each: ForkedThread) => void; readonly figures: PlatformFigures } {
  let latest: Said = {};
  const figures: PlatformFigures = {
    caps: () => latest.caps ?? null, retention: () => latest.retention ?? null, proofs: () => latest.proofs ?? null,
    prices: () => latest.prices ?? null, settling: () => latest.settling ?? null, residentBytes: () => latest.residentBytes ?? null,
  };
  const hear = (each: ForkedThread): void => {
    each.on('message', (said: Said) => {
      if (said.warning !== undefined) log('warn', said.warning);
      if (said.note !== undefined) log('info', said.note);
      if (said.broke !== undefined) log('warn', `The platform thread failed: ${said.broke}.`);
      latest = { ...latest, ...said };
    });
    each.on('line', (line: string) => log('warn', `The platform's process wrote: ${line}`));
    each.on('error', (error) => log('warn', `The platform thread failed: ${error instanceof Error ? error.name : 'unknown fault'}.`));
    each.once('exit', () => { latest = { ...latest, residentBytes: null }; });
  };
  return { hear, figures };
}

async function spawned(
  data: PlatformNeeds['data'], { names, hear }: { readonly names: NameResolver; readonly hear: (worker: ForkedThread) => void },
): Promise<{ readonly worker: ForkedThread; readonly port: number }> {
  const worker = forkedThread(import.meta.resolve('@metergate/platform/platform-process.ts'), data);
  worker.on('message', ({ name }: { readonly name?: NameToResolve }) => {
    if (name !== undefined) resolveFor(name, names, (resolved) => worker.postMessage({ resolved }));
  });
  hear(worker);
  const { port } = (await firstMessage(worker, 'listening')) as { readonly port: number };
  return { worker, port };
}
