/**
 * Which models and tags of a Baseline have a line: the first 200 of each; the rest is `other`. Rule 8a. So a client
 * that gives every call a new name neither fills the store nor makes an unreadable report. The events themselves keep their names.
 */
import type { TapEvent } from './event.ts';

const linesMax = 200;
const rest = 'other';

type TapLineKind = 'model' | 'tag';

export interface TapLine {
  readonly kind: TapLineKind;
  /** A tag, or `provider:model`. */
  readonly name: string;
}

/** The events under the names that they are summed by, and the new lines that they made. */
export function linedUp(known: readonly TapLine[], events: readonly TapEvent[]): { readonly events: TapEvent[]; readonly fresh: TapLine[] } {
  const names: { readonly [Kind in TapLineKind]: Set<string> } = { model: new Set(), tag: new Set() };
  for (const { kind, name } of known) names[kind].add(name);
  const fresh: TapLine[] = [];
  const hasLine = (kind: TapLineKind, name: string): boolean => {
    if (names[kind].has(name)) return true;
    if (names[kind].size >= linesMax) return false;
    names[kind].add(name);
    fresh.push({ kind, name });
    return true;
  };
  const summed = events.map((event) => {
    const model = hasLine('model', `${event.provider}:${event.model}`) ? event.model : rest;
    const tag = hasLine('tag', event.tag) ? event.tag : rest;
    return model === event.model && tag === event.tag ? event : { ...event, model, tag };
  });
  return { events: summed, fresh };
}
