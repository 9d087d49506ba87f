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
import { forkedThread, type WatchedThread } from './forked-thread.ts';
import type { CapFigures, RetentionFigures } from './metrics/metrics-text.ts';
import type { ThreadPulse } from './thread-pulse.ts';
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

const restartMs = 1_000;

/** Resolves when it listens. @throws ThreadFault with the system's code if the address cannot be bound */
export async function startPlatformThread({ data, names }: PlatformNeeds, log: PlatformLog): Promise<PlatformThread> {
  let leaving = false;
  let stopping: { readonly stop: true; readonly graceMs: number } | null = null;
  let caps: CapFigures | null = null;
  let retention: RetentionFigures | null = null;
  let proofs: ProofFigures | null = null;
  let prices: PriceFigures | null = null;
  let settling: SettlingFigures | null = null;
  let residentBytes: number | null = null;
  let restart: NodeJS.Timeout | null = null;
  const first = await spawned(data, names);
  let worker = watched(first.worker);
  let pulse = pulseOf('platform', worker);
  const { port } = first;
  return {
    port,
    caps: () => caps, retention: () => retention, proofs: () => proofs, prices: () => prices, settling: () => settling,
    residentBytes: () => residentBytes,
    pulse: () => (stopping !== null && worker.threadId === -1 ? null : pulse),
    async leave() {
      leaving = true;
      if (worker.threadId !== -1) await leaveOf(worker);
    },
    async stop(graceMs) {
      stopping = { stop: true, graceMs };
      if (restart !== null) clearTimeout(restart);
      worker.postMessage(stopping);
      await ended(worker);
    },
  };

  function watched(each: WatchedThread): WatchedThread {
    each.on('message', (message: {
      readonly warning?: unknown; readonly note?: unknown; readonly caps?: CapFigures; readonly retention?: RetentionFigures;
      readonly prices?: PriceFigures; readonly proofs?: ProofFigures; readonly settling?: SettlingFigures; readonly residentBytes?: number;
      readonly broke?: string;
    }) => {
      if (typeof message.warning === 'string') log('warn', message.warning);
      if (typeof message.note === 'string') log('info', message.note);
      if (message.caps !== undefined) caps = message.caps;
      if (message.retention !== undefined) retention = message.retention;
      if (message.proofs !== undefined) proofs = message.proofs;
      if (message.prices !== undefined) prices = message.prices;
      if (message.settling !== undefined) settling = message.settling;
      if (message.residentBytes !== undefined) residentBytes = message.residentBytes;
      if (message.broke !== undefined) log('warn', `The platform thread failed: ${message.broke}.`);
    });
    each.on('error', (error) => log('warn', `The platform thread failed: ${error instanceof Error ? error.name : 'unknown fault'}.`));
    each.on('exit', again);
    return each;
  }

  function again(): void {
    if (stopping !== null) return;
    log('warn', 'The platform thread ended and is being restarted. Calls are still forwarded.');
    restart = setTimeout(() => void startAgain(), restartMs);
  }

  async function startAgain(): Promise<void> {
    try {
      worker = watched((await spawned({ ...data, port }, names)).worker);
      pulse = pulseOf('platform', worker);
      if (leaving) worker.postMessage({ leave: true });
      if (stopping !== null) worker.postMessage(stopping);
    } catch {
      again();
    }
  }
}

async function spawned(
  data: PlatformNeeds['data'], names: NameResolver,
): Promise<{ readonly worker: WatchedThread; readonly port: number }> {
  const worker = forkedThread(import.meta.resolve('@metergate/platform/platform-process.ts'), data);
  worker.on('message', ({ name }: { readonly name?: NameToResolve }) => {
    if (name !== undefined) resolveFor(name, names, (resolved) => worker.postMessage({ resolved }));
  });
  const { port } = (await firstMessage(worker, 'listening')) as { readonly port: number };
  return { worker, port };
}
