/**
 * The body of a post to the tap endpoint → its events, or the one sentence that refuses the whole batch. Spec: Tap ingestion,
 * Tap ingestion errors; rules 30 and 30a. The sentence is a path and a reason from a fixed list, never a sent value.
 */
import { JsonObject, parseStrictJson, type StrictJson } from '../json/strict-json.ts';
import { readTapEvent, tapReason, TapRefusal, type TapEvent, type TapReason } from './event.ts';

/** The largest body, in bytes. */
export const tapBodyBytesMax = 256 * 1024;
const tapEventsMax = 500;

/** Why a batch is refused: where, and what is wrong there. */
export interface TapBatchRefusal {
  readonly path: string;
  readonly reason: TapReason;
}

export type TapBatchVerdict = { readonly events: readonly TapEvent[] } | { readonly refusal: TapBatchRefusal };

/** Reads a batch at `nowMs`, milliseconds since the epoch, which the window of timestamps is around. */
export function readTapBatch(body: Uint8Array, nowMs: number): TapBatchVerdict {
  const parsed = parseStrictJson(body);
  if ('refused' in parsed) return refuse('$', parsed.refused === 'too_deep' ? tapReason.tooDeep : tapReason.notJson);
  const { value } = parsed;
  if (!(value instanceof JsonObject)) return refuse('$', tapReason.notAnObject);
  const { names, values } = value;
  let read: TapBatchVerdict | null = null;
  for (let i = 0; i < names.length; i++) {
    if (names[i] !== 'events') return refuse('$', tapReason.unknownField);
    if (read !== null) return refuse('events', tapReason.repeated);
    read = readEvents(values[i]!, nowMs);
    if ('refusal' in read) return read;
  }
  return read ?? refuse('events', tapReason.missing);
}

/** The sentence of a refusal. */
export function tapRefusalSentence({ path, reason }: TapBatchRefusal): string {
  return `${path} ${reason}.`;
}

function readEvents(value: StrictJson, nowMs: number): TapBatchVerdict {
  if (!Array.isArray(value)) return refuse('events', tapReason.notAnArray);
  if (value.length < 1 || value.length > tapEventsMax) return refuse('events', tapReason.outsideRange);
  const events: TapEvent[] = [];
  for (const [index, element] of value.entries()) {
    const event = readTapEvent(element, nowMs);
    if (event instanceof TapRefusal) return refuse(`events[${index}]${event.inside}`, event.reason);
    events.push(event);
  }
  return { events };
}

function refuse(path: string, reason: TapReason): TapBatchVerdict {
  return { refusal: { path, reason } };
}
