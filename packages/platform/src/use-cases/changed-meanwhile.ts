/**
 * Two people who change the same thing: the second learns of it, so that nobody undoes another's change without knowing it. Whoever changes something
 * may say how the fields were when they read them. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { refuse, type StoreRefusal } from '@metergate/store/engine/refusal.ts';

/** Fields as they were shown to whoever sends the change. */
export type FieldsBefore = Readonly<Record<string, unknown>>;

/** What a change was made from: fields as they were read, or null where there was no such thing. */
export type ThingBefore = FieldsBefore | null;

/** How the sentences call a thing of which there may be none, with its article: `a cap`. */
interface NamedThing {
  readonly the: string;
  readonly a: string;
}

/**
 * The check of a change to a thing that may not be there yet: refuses `changed_meanwhile` where it was made or removed meanwhile, or where one of the
 * fields differs. Undefined: whoever sends the change does not say what it was made from.
 */
export function refuseOtherThan<Thing>(
  was: ThingBefore | undefined, { the, a }: NamedThing, shown: (thing: Thing) => object,
): ((there: Thing | null) => StoreRefusal | null) | undefined {
  if (was === undefined) return undefined;
  return (there) => {
    if (there === null) return was === null ? null : refuse('changed_meanwhile', `${the} was removed after you read it. Nothing was saved.`);
    if (was === null) return refuse('changed_meanwhile', `Somebody made ${a} meanwhile. Nothing was saved.`);
    return refuseChanged(was, shown(there));
  };
}

/** Refuses `changed_meanwhile` if a thing that is declared as a whole was declared again since `version` was read. Undefined: any version will do. */
export function refuseOtherVersion(version: number | undefined, there: { readonly version: number }): StoreRefusal | null {
  return version === undefined || version === there.version ? null
    : refuse('changed_meanwhile', 'It was declared again after you read it. Nothing was changed.');
}

/** Refuses `changed_meanwhile` if one of `was` is not as in `shown`; null: all are, or none was given. */
export function refuseChanged(was: FieldsBefore | undefined, shown: object): StoreRefusal | null {
  const now = shown as FieldsBefore;
  const changed = Object.keys(was ?? {}).filter((name) => !isDeepStrictEqual(was![name], now[name]));
  if (changed.length === 0) return null;
  return refuse('changed_meanwhile', `${changed.join(' and ')} changed after you read ${changed.length === 1 ? 'it' : 'them'}. Nothing was saved.`);
}
