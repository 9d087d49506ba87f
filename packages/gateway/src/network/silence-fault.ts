/** How long a destination may be silent, by what its connection waits for. Rules: Forwarding. */
import type { DestinationTimeouts } from './destination.ts';
import { ExchangeError } from './exchange-fault.ts';

/** What a connection waits for. `kept`: taken out of the idle ones for an exchange that is not written yet. */
export type Phase = 'dialling' | 'head' | 'body' | 'idle' | 'kept' | 'gone';

/** Null: it may still be waited for. */
export function silenceFault(phase: Phase, waitedMs: number, { connectMs, headMs, idleBodyMs }: DestinationTimeouts): ExchangeError | null {
  if (phase === 'dialling' && waitedMs >= connectMs) return new ExchangeError('connect', 'The destination could not be reached in time.');
  if (phase === 'head' && waitedMs >= headMs) return new ExchangeError('timeout', 'The destination did not answer in time.');
  if (phase === 'body' && waitedMs >= idleBodyMs) return new ExchangeError('timeout', 'The destination fell silent within its answer.');
  return null;
}
