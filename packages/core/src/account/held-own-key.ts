/**
 * What a member may change about an own key that is there already. Rule 17; decisions 195 and 299. The terms bound the change, and so does what
 * stands in the key: an admin may have tightened it, so a member tightens further and loosens nothing but what they tightened themselves.
 */
import { areWithin } from '../call/allowed-models.ts';
import { beyondTerms, withTerms, type OwnKey, type OwnKeyTerms } from './own-keys.ts';

/** An own key as it is. */
export interface HeldOwnKey extends OwnKey {
  readonly disabledAtMs: number | null;
  /** The person who disabled it; null: it is not disabled, or whoever did it was no person that is known. */
  readonly disabledBy: string | null;
}

/** What is left out stays. */
export type OwnKeyChanges = Partial<Omit<OwnKey, 'createdAtMs'>> & { readonly disabled?: boolean };

/** Whose key it is, within which terms, and when they change it. */
interface OwnKeyBounds {
  readonly person: string;
  readonly terms: OwnKeyTerms;
  readonly nowMs: number;
}

/** Why the key's person may not change it so, as a sentence; null: they may. */
export function beyondHeld(key: HeldOwnKey, changes: OwnKeyChanges, { person, terms, nowMs }: OwnKeyBounds): string | null {
  const { disabled, maxRunBudget, ...bounded } = changes;
  // What is not to be changed is not held to the terms: an admin may have given it.
  const unchanged = withTerms({ createdAtMs: key.createdAtMs, models: null, expiresAtMs: null, maxRunBudget: null }, terms);
  const beyond = beyondTerms({ ...unchanged, ...bounded, maxRunBudget: isLowered(key, maxRunBudget) ? null : maxRunBudget! }, terms);
  if (beyond !== null) return beyond;
  if (maxRunBudget === null && key.maxRunBudget !== null) return 'The run budget that an admin gave this key is for an admin to take away.';
  if (bounded.models !== undefined && key.models !== null && (bounded.models === null || !areWithin(bounded.models, key.models))) {
    return `This key may ask for these models, and you may leave some of them out: ${key.models.join(', ')}. For more, ask an admin.`;
  }
  if (bounded.expiresAtMs !== undefined && !isBefore(nowMs, key.expiresAtMs)) return 'This key has expired. Make a new one, or ask an admin.';
  if (disabled === false && key.disabledAtMs !== null && key.disabledBy !== person) {
    return 'You did not disable this key, so an admin has to enable it.';
  }
  return null;
}

/** Whether the change makes a key work that does not. */
export function worksAgain({ disabledAtMs, expiresAtMs }: HeldOwnKey, changes: OwnKeyChanges, nowMs: number): boolean {
  const worked = disabledAtMs === null && isBefore(nowMs, expiresAtMs);
  const staysDisabled = changes.disabled ?? disabledAtMs !== null;
  return !worked && !staysDisabled && isBefore(nowMs, changes.expiresAtMs === undefined ? expiresAtMs : changes.expiresAtMs);
}

/** A figure that the key has already may become smaller: whatever it is then, it is no more than an admin gave. */
function isLowered({ maxRunBudget: held }: HeldOwnKey, wanted: HeldOwnKey['maxRunBudget'] | undefined): boolean {
  return wanted === undefined || wanted === null || (held !== null && wanted <= held);
}

function isBefore(nowMs: number, endMs: number | null): boolean {
  return endMs === null || nowMs < endMs;
}
