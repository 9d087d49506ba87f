/**
 * Two people who change the same thing: the second learns of it, so that nobody undoes another's change without knowing it. Whoever changes something
 * may say how the fields were when they read them. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { refuse, type StoreRefusal } from '@metergate/store/engine/refusal.ts';

/** Fields as they were shown to whoever sends the change. */
export type FieldsBefore = Readonly<Record<string, unknown>>;

/** Refuses `changed_meanwhile` if one of `was` is not as in `shown`; null: all are, or none was given. */
export function refuseChanged(was: FieldsBefore | undefined, shown: object): StoreRefusal | null {
  const now = shown as FieldsBefore;
  const changed = Object.keys(was ?? {}).filter((name) => !isDeepStrictEqual(was![name], now[name]));
  if (changed.length === 0) return null;
  return refuse('changed_meanwhile', `${changed.join(' and ')} changed after you read ${changed.length === 1 ? 'it' : 'them'}. Nothing was saved.`);
}
