/**
 * Sends spans to a collector by OTLP over HTTP, as JSON, from a thread that no call waits for. Unsent spans wait in a bounded queue; beyond
 * the bound the oldest are dropped and counted. An unreachable collector costs spans, never calls.
 */
import { gzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import type { SpanFacts } from '@metergate/gateway/traces/call-traces.ts';
import type { TraceSettings } from '../config/config.ts';
import { traceRequest, type Resource } from './otlp-json.ts';

export interface TraceCounters {
  sent: number;
  dropped: number;
}

export interface TraceExporter {
  readonly counters: Readonly<TraceCounters>;
  add(spans: readonly SpanFacts[]): void;
  /** Sends what waits, once, and ends. */
  end(): Promise<void>;
}

interface TraceExporterOptions {
  readonly settings: TraceSettings;
  readonly version: string;
  readonly providerUrls: Resource['providerUrls'];
  /** Called once when sending begins to fail, and once when it works again. */
  readonly tell: (sentence: string) => void;
}

const waitingMax = 8_192;
const atOnceMax = 512;
const failurePauseMs = 5_000;
/** Status codes after which the protocol allows sending the same again. */
const passingStatus: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function createTraceExporter({ settings, version, providerUrls, tell }: TraceExporterOptions): TraceExporter {
  const counters: TraceCounters = { sent: 0, dropped: 0 };
  const { serviceName, resource: attributes } = settings;
  let waiting: SpanFacts[] = [];
  let sending: Promise<void> | null = null;
  let failing = false;
  let pausing = false;
  let ended = false;

  async function sendBatch(): Promise<boolean> {
    const batch = waiting.splice(0, atOnceMax);
    const body = JSON.stringify(traceRequest(batch, { serviceName, version, attributes, providerUrls }, hexOf));
    const outcome = await post(settings, body);
    if (outcome === 'again') {
      waiting = [...batch, ...waiting];
      return false;
    }
    if (outcome === 'taken') counters.sent += batch.length;
    else counters.dropped += batch.length;
    report(outcome === 'taken' ? null : 'refuses them');
    return true;
  }

  function report(fault: string | null): void {
    if ((fault !== null) === failing) return;
    failing = fault !== null;
    const { host } = new URL(settings.url);
    tell(fault === null ? `Traces reach the collector at ${host} again.`
      : `Traces do not reach the collector at ${host}: it ${fault}. Calls are not affected.`);
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      if (await sendBatch()) continue;
      report('cannot be reached');
      resumeAfterPause();
      return;
    }
  }

  function resumeAfterPause(): void {
    if (ended) return;
    pausing = true;
    setTimeout(() => {
      pausing = false;
      begin();
    }, failurePauseMs).unref();
  }

  function begin(): void {
    sending ??= sendAll().finally(() => { sending = null; });
  }

  return {
    counters,
    add(spans) {
      waiting = waiting.concat(spans);
      const over = waiting.length - waitingMax;
      if (over > 0) {
        waiting = waiting.slice(over);
        counters.dropped += over;
      }
      if (!pausing) begin();
    },
    async end() {
      ended = true;
      await sending;
      begin();
      await sending;
      counters.dropped += waiting.length;
    },
  };
}

async function post({ url, headers, timeoutMs, gzip }: TraceSettings, body: string): Promise<'taken' | 'refused' | 'again'> {
  try {
    const answer = await fetch(url, {
      method: 'POST', redirect: 'manual', signal: AbortSignal.timeout(timeoutMs), body: gzip ? gzipSync(body) : body,
      headers: { ...headers, 'content-type': 'application/json', ...(gzip ? { 'content-encoding': 'gzip' } : {}) },
    });
    await answer.body?.cancel();
    if (answer.ok) return 'taken';
    return passingStatus.has(answer.status) ? 'again' : 'refused';
  } catch {
    return 'again';
  }
}

function hexOf(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
