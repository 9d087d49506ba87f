/**
 * The store thread and the gateway thread, as the supervisor sees them: started, watched, stopped in order. If a thread dies or throws, the
 * whole product is broken: `died` is called once, and the process must end.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { GatewayThreadData, GatewayThreadMetrics } from '@metergate/gateway/gateway-thread.ts';
import type { NodeCondition } from '@metergate/gateway/node/condition.ts';
import type { SpanFacts } from '@metergate/gateway/traces/call-traces.ts';
import type { LogLine } from '@metergate/gateway/log/call-log.ts';
import type { StoreThreadFigures } from '@metergate/store/desk/store-thread.ts';
import { portOf } from '@metergate/store/network/name-port.ts';
import type { NameResolver } from '@metergate/store/network/name-resolver.ts';
import type { NodeReport } from '@metergate/store/operation/node-reports.ts';
import { processMs } from '@metergate/store/desk/lease-desk.ts';
import type { MadeReport } from '@metergate/store/desk/report-of-cells.ts';
import type { WatchedThread } from './forked-thread.ts';
import { reportThreadFaults, type FaultReport } from './reported-faults.ts';
import { endHangingThread } from './end-hanging-thread.ts';
import { createThreadPulse, pulseMs, type ThreadName, type ThreadPulse, type ThreadPulses } from './thread-pulse.ts';

/**
 * Room for the young objects of the gateway thread, megabytes. Less than Node's own choice, 96, because what a call needs dies with it: collecting
 * takes a few thousandths more of a call's processor time, and the process is 50 MB smaller under load.
 */
const youngObjectsMb = 12;

export interface ThreadsOptions {
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
  readonly gateway: Omit<GatewayThreadData, 'storePort' | 'namesPort'>;
  /** Resolves the names of declared upstreams. */
  readonly names: NameResolver;
  /** One sentence about a fault that may pass by itself, or has passed. */
  readonly onFault: (sentence: string) => void;
  /** What the gateway thread reports for the log. */
  readonly onLines: (lines: readonly LogLine[]) => void;
  /** Facts of ended calls, for traces. */
  readonly onSpans: (spans: readonly SpanFacts[]) => void;
  /** What the node cannot do, whenever it changes. */
  readonly onCondition: (condition: NodeCondition) => void;
  /** A thread died, or was ended because it did not answer. */
  readonly onDeath: (thread: 'gateway' | 'store', sentence: string) => void;
}

/** A thread that is busy for longer is not waited for: the others must say that they stop. */
const confirmMs = 1_000;

export interface Threads {
  readonly gatewayHost: string;
  readonly gatewayPort: number;
  /** Null if the gateway thread did not answer within `waitMs`. */
  metrics(waitMs: number): Promise<GatewayThreadMetrics | null>;
  /** The store thread's figures, as it last reported them. */
  storeFigures(): StoreThreadFigures;
  /** Sends this node's report to the store. */
  report(made: MadeReport): void;
  /** Whether each thread that has not ended answers. */
  pulses(): ThreadPulses;
  /** The process will stop: once this resolves, the gateway's answers announce it. */
  leave(): Promise<void>;
  /** Drains the gateway, closes its journal, ships it, closes the store. */
  stop(): Promise<void>;
}

/** A thread could not start. `code` is the fault's own: Node's for sockets, the store's for the store. */
export class ThreadFault extends Error {
  readonly code: string;
  /** The address to listen on cannot be bound; then `code` is the system's. */
  readonly ofAddress: boolean;

  constructor(code: string, message: string, ofAddress = false) {
    super(message);
    this.name = 'ThreadFault';
    this.code = code;
    this.ofAddress = ofAddress;
  }
}

/** The system calls that Node may name if listening fails. */
const addressCalls: ReadonlySet<string> = new Set(['getaddrinfo', 'bind', 'listen']);

/** A gateway thread that is silent for this long is ended as if the process had been killed. Decision 0206. Milliseconds. */
const deadMsMin = 10_000;

type Message = Record<string, unknown>;

const noFigures = { recordsSetAside: 0, setAsideOf: [], spendDifferences: 0, cellsAway: 0, rowsShipped: 0, recordsShipped: 0 } as const;

/** Starts the store thread, lets it recover, then the gateway thread. @throws ThreadFault; nothing keeps running then. */
export async function startThreads(options: ThreadsOptions): Promise<Threads> {
  const { port1: storeSide, port2: gatewaySide } = new MessageChannel();
  let stopping = false;
  const watch = (name: 'gateway' | 'store', worker: Worker): Worker => {
    const reportFault = reportThreadFaults(name, options.onFault);
    worker.on('message', (message: Message) => {
      if (typeof message['warning'] === 'string') options.onFault(message['warning']);
      const fault = message['fault'] as FaultReport | undefined;
      if (fault !== undefined) reportFault(fault);
    });
    worker.on('error', (error) => options.onDeath(name, `The ${name} thread broke: ${(error as Error).stack ?? String(error)}`));
    worker.on('exit', (code) => {
      if (!stopping) options.onDeath(name, `The ${name} thread ended (code ${code}).`);
    });
    return worker;
  };
  const store = thread('store', import.meta.resolve('@metergate/store/desk/store-thread.ts'), {
    databaseUrl: options.databaseUrl, masterKey: options.masterKey,
    journalDirectory: options.gateway.journalDirectory, gatewayPort: storeSide, nodeId: options.gateway.nodeId,
  }, { ports: [storeSide] });
  let figures: StoreThreadFigures = { ...noFigures, shippedMs: processMs() };
  store.on('message', (message: Message) => {
    if (message['figures'] !== undefined) figures = message['figures'] as StoreThreadFigures;
  });
  await firstMessage(store, 'ready');
  watch('store', store);
  const gatewayUrl = import.meta.resolve('@metergate/gateway/gateway-thread.ts');
  const namesPort = portOf(options.names);
  const gateway = thread('gateway', gatewayUrl, { ...options.gateway, storePort: gatewaySide, namesPort }, {
    ports: [gatewaySide, namesPort], youngMb: youngObjectsMb,
  });
  let listening: { host: string; port: number };
  try {
    listening = (await firstMessage(gateway, 'listening')) as { host: string; port: number };
  } catch (error) {
    stopping = true;
    store.postMessage({ stop: true });
    await ended(store);
    throw error;
  }
  watch('gateway', gateway);
  gateway.on('message', hearingGateway(options));
  const pulses = { gateway: pulseOf('gateway', gateway), store: pulseOf('store', store) };
  endingSilent({ worker: gateway, file: gatewayUrl, pulse: pulses.gateway }, (sentence) => {
    if (stopping) options.onFault(sentence);
    else options.onDeath('gateway', `${sentence} This process ends, so that it is started again.`);
  });
  let last: MadeReport | null = null;
  const report = (made: MadeReport): void => store.postMessage({ report: last = made });
  return {
    gatewayHost: listening.host,
    gatewayPort: listening.port,
    metrics: metricsFrom(gateway),
    storeFigures: () => figures,
    report,
    pulses: () => ({
      ...(gateway.threadId === -1 ? {} : { gateway: pulses.gateway }), ...(store.threadId === -1 ? {} : { store: pulses.store }),
    }),
    leave: () => leaveOf(gateway),
    async stop() {
      stopping = true;
      gateway.postMessage({ drain: true });
      await ended(gateway);
      if (last !== null) report({ report: stoppedReport(last.report), nowMs: processMs() });
      store.postMessage({ stop: true });
      await ended(store);
    },
  };
}

/** What the last calls left is not shipped yet. Where the process dies before it is, months must wait for it. */
function stoppedReport(last: NodeReport): NodeReport {
  const { earlierCalls: _, ...rest } = last;
  const journal = { ...rest.journal, rowsToShip: Math.max(1, rest.journal.rowsToShip) };
  return { ...rest, state: 'stopped', reasons: [], callsInFlight: 0, oldestCallMs: null, journal };
}

function hearingGateway({ onSpans, onCondition, onLines }: ThreadsOptions): (message: Message) => void {
  return (message) => {
    if (message['spans'] !== undefined) onSpans(message['spans'] as readonly SpanFacts[]);
    if (message['condition'] !== undefined) onCondition(message['condition'] as NodeCondition);
    if (message['lines'] !== undefined) onLines(message['lines'] as readonly LogLine[]);
  };
}

/** `youngMb`: room for young objects; Node's own choice if absent. */
function thread(
  name: ThreadName, url: string, workerData: unknown, { ports, youngMb }: { readonly ports: readonly MessagePort[]; readonly youngMb?: number },
): Worker {
  return new Worker(new URL(url), {
    name, workerData, transferList: [...ports], ...(youngMb === undefined ? {} : { resourceLimits: { maxYoungGenerationSizeMb: youngMb } }),
  });
}

/** Ends the gateway thread once it has not answered for `deadMsMin`; `told` is called before, with a sentence that has its stack. */
function endingSilent(
  { worker, file, pulse }: { readonly worker: Worker; readonly file: string; readonly pulse: ThreadPulse }, told: (sentence: string) => void,
): void {
  const looking = setInterval(() => {
    if (pulse.silentMs < deadMsMin) return;
    clearInterval(looking);
    void endHangingThread({ worker, file }, (stack) => {
      told(`The gateway thread did not answer and was ended. Its open calls are recorded as interrupted. ${
        stack === null ? 'Its stack is not known.' : `Its stack: ${stack.join(' ')}.`}`);
    });
  }, pulseMs).unref();
  worker.once('exit', () => clearInterval(looking));
}

/** The worker's own: it answers `{alive: true}` in kind. */
export function pulseOf(name: ThreadName, worker: WatchedThread): ThreadPulse {
  const pulse = createThreadPulse(name, () => worker.postMessage({ alive: true }));
  worker.on('message', (message: Message) => {
    if (message['alive'] === true) pulse.answered();
  });
  return pulse;
}

/** Resolves when the thread's answers say that the process stops, or it did not confirm it within `confirmMs`. */
export async function leaveOf(worker: WatchedThread): Promise<void> {
  const confirmed = firstMessage(worker, 'left').catch(() => {});
  worker.postMessage({ leave: true });
  const given = new AbortController();
  await Promise.race([confirmed, pass(confirmMs, undefined, { signal: given.signal }).catch(() => {})]);
  given.abort();
}

/** Resolves with the first message that has `field`; rejects on `failed`, on an error, or if the thread ends. */
export function firstMessage(worker: WatchedThread, field: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    const onMessage = (message: Message): void => {
      const failed = message['failed'] as { code: string; message: string; syscall?: unknown } | undefined;
      if (failed === undefined && !(field in message)) return;
      settle();
      if (failed === undefined) resolve(message[field]);
      else reject(new ThreadFault(failed.code, failed.message, addressCalls.has(String(failed.syscall))));
    };
    const onError = (error: unknown): void => {
      settle();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const onExit = (code: number): void => {
      settle();
      reject(new ThreadFault('thread_ended', `A thread ended before it was ready (code ${code}).`));
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}

/** Resolves when the thread has ended. */
export function ended(worker: WatchedThread): Promise<void> {
  return new Promise((resolve) => {
    if (worker.threadId === -1) resolve();
    else worker.once('exit', () => resolve());
  });
}

function metricsFrom(gateway: Worker): Threads['metrics'] {
  const waiting = new Map<number, (metrics: GatewayThreadMetrics | null) => void>();
  let asked = 0;
  gateway.on('message', (message: { metrics?: GatewayThreadMetrics; id?: number }) => {
    if (message.metrics === undefined || message.id === undefined) return;
    waiting.get(message.id)?.(message.metrics);
    waiting.delete(message.id);
  });
  return (waitMs) => new Promise((resolve) => {
    asked += 1;
    const id = asked;
    const late = setTimeout(() => {
      waiting.delete(id);
      resolve(null);
    }, waitMs);
    waiting.set(id, (metrics) => {
      clearTimeout(late);
      resolve(metrics);
    });
    gateway.postMessage({ metrics: true, id });
  });
}
