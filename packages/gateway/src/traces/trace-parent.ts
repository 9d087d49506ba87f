/**
 * A caller's `traceparent` (W3C Trace Context) → the span that a call's own span hangs under. It is only read: what the caller sent goes to
 * the provider as it came. Pure.
 */
import { allValues, type HeaderPairs } from '@metergate/core/call/header-pairs.ts';

export interface TraceParent {
  /** 32 characters of lower-case hexadecimal, not all zero. */
  readonly traceId: string;
  /** 16 characters. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Null: none was sent, or several, or one that is not of the form. */
export function traceParentOf(headers: HeaderPairs): TraceParent | null {
  const values = allValues(headers, 'traceparent');
  const [, version, traceId, spanId, flags, more] = (values.length === 1 ? form.exec(values[0]!.trim()) : null) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return null;
  return { traceId: traceId!, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}
