/**
 * Service keys: which ones a configuration creates, changes and revokes. A key is identified by its id, or else by its name among the keys
 * that are not revoked. Decision 76.
 */
import { createServiceKey, revokeServiceKey, setServiceKey, type ServiceKeySettingsInput, type ShownServiceKey } from '../service-keys.ts';
import { isRefusal } from '../refusal.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { KeyEntry } from './configuration.ts';
import { differing, doneOr, type FieldChange, type Problem, type SectionPlan, type ShownValue, type PlannedStep } from './planned-change.ts';

interface PlanningKeys {
  readonly organization: OrganizationId;
  /** Every key of the organization, revoked ones too. */
  readonly keys: readonly ShownServiceKey[];
  readonly entries: readonly KeyEntry[] | undefined;
  readonly prune: boolean;
  readonly nowMs: number;
}

/** An entry with its key; null: one that is to be made. */
interface Matched {
  readonly entry: KeyEntry;
  readonly index: number;
  readonly key: ShownServiceKey | null;
}

export interface KeysPlan extends SectionPlan {
  /** A cap's `key` → the key's id, or the name of one that is to be made. Null: unknown or ambiguous. */
  referred(word: string): { readonly id: string } | { readonly made: string } | null;
}

/** The steps that make service keys match the file. Pure. */
export function planKeys({ organization, keys, entries, prune, nowMs }: PlanningKeys): KeysPlan {
  const live = keys.filter(({ revokedAt }) => revokedAt === null);
  const problems: Problem[] = [];
  const matched = (entries ?? []).flatMap((entry, index): Matched[] => {
    const key = keyOf(entry, live);
    if (!('sentence' in key)) return [{ entry, index, key: key.found }];
    problems.push({ path: ['keys', index, key.field], sentence: key.sentence });
    return [];
  });
  problems.push(...namedTwice(matched), ...pastExpiries(matched, nowMs));
  const named = new Set(matched.map(({ key }) => key?.id));
  const unnamed = entries === undefined ? [] : live.filter(({ id }) => !named.has(id));
  const steps = [
    ...matched.flatMap(({ entry, key }) => (key === null ? [creation(organization, entry, nowMs)] : changing(entry, key, nowMs))),
    ...(prune ? unnamed.map(revocation) : []),
  ];
  return { steps, problems, left: prune ? 0 : unnamed.length, referred: (word) => referred(word, keys, matched) };
}

function keyOf(
  { id, name }: KeyEntry, live: readonly ShownServiceKey[],
): { readonly found: ShownServiceKey | null } | { readonly sentence: string; readonly field: 'id' | 'name' } {
  if (id !== undefined) {
    const found = live.find((key) => key.id === id);
    return found === undefined ? { field: 'id', sentence: 'The organization has no key with this id that is not revoked.' } : { found };
  }
  const found = live.filter((key) => key.name === name);
  return found.length > 1
    ? { field: 'name', sentence: `The organization has ${found.length} keys with this name. Give the id of the one you mean.` }
    : { found: found[0] ?? null };
}

function namedTwice(matched: readonly Matched[]): Problem[] {
  const seen = new Set<string>();
  return matched.flatMap(({ entry, index, key }) => {
    const one = key === null ? `name ${entry.name}` : `id ${key.id}`;
    if (!seen.has(one)) {
      seen.add(one);
      return [];
    }
    return [{ path: ['keys', index], sentence: 'This key is already in the list.' }];
  });
}

/** An expired key may stay expired; a new expiry must be in the future. */
function pastExpiries(matched: readonly Matched[], nowMs: number): Problem[] {
  return matched.filter(({ entry: { expiresAt }, key }) =>
    typeof expiresAt === 'string' && expiresAt !== key?.expiresAt && Date.parse(expiresAt) <= nowMs)
    .map(({ index }) => ({ path: ['keys', index, 'expiresAt'], sentence: 'An expiry must be in the future.' }));
}

const shownFields = ({ name, project, maxRunBudget, models, expiresAt, disabledAt }: ShownServiceKey): Readonly<Record<string, ShownValue>> =>
  ({ name, project, maxRunBudget, models, expiresAt, disabled: disabledAt !== null });

const wantedFields = ({ name, project, maxRunBudget, models, expiresAt, disabled }: KeyEntry): Readonly<Record<string, ShownValue | undefined>> =>
  ({ name, project, maxRunBudget, models, expiresAt, disabled });

function creation(organization: OrganizationId, entry: KeyEntry, nowMs: number): PlannedStep {
  const name = entry.name!;
  const { name: _name, ...rest } = wantedFields(entry);
  const fields = differing({ disabled: false }, rest);
  return {
    change: { action: 'create', kind: 'key', name, fields }, makesSecret: true,
    async run(context, made) {
      const { project, maxRunBudget, models, expiresAt } = entry;
      const minted = await createServiceKey(context, {
        organization, name, project: project ?? null, maxRunBudget: maxRunBudget ?? null, models: models ?? null,
        lifetimeMs: lifetimeOf(expiresAt ?? null, nowMs),
      });
      if (isRefusal(minted)) return minted;
      made.set(name, minted.id);
      const disabled = entry.disabled === true ? await setServiceKey(context, { id: minted.id, within: organization }, { disabled: true }) : null;
      return isRefusal(disabled) ? disabled : { kind: 'key', name, id: minted.id, secret: minted.key };
    },
  };
}

function changing(entry: KeyEntry, key: ShownServiceKey, nowMs: number): PlannedStep[] {
  const fields = differing(shownFields(key), wantedFields(entry));
  if (fields.length === 0) return [];
  return [{
    change: { action: 'change', kind: 'key', name: key.name ?? key.id, fields }, makesSecret: false,
    run: async (context) => doneOr(await setServiceKey(context, { id: key.id, within: null }, settingsOf(fields, nowMs))),
  }];
}

function settingsOf(fields: readonly FieldChange[], nowMs: number): ServiceKeySettingsInput {
  return Object.fromEntries(fields.map(({ field, to }) =>
    (field === 'expiresAt' ? ['lifetimeMs', lifetimeOf(to as string | null, nowMs)] : [field, to])));
}

/** The use cases expect a lifetime, counted from the moment they run. */
function lifetimeOf(expiresAt: string | null, nowMs: number): number | null {
  return expiresAt === null ? null : Date.parse(expiresAt) - nowMs;
}

function revocation({ id, name }: ShownServiceKey): PlannedStep {
  return {
    change: { action: 'remove', kind: 'key', name: name ?? id, fields: [] }, makesSecret: false,
    run: async (context) => doneOr(await revokeServiceKey(context, id)),
  };
}

/** Names after the file is applied: those of its entries, then those of keys that it does not rename. */
function referred(word: string, keys: readonly ShownServiceKey[], matched: readonly Matched[]): ReturnType<KeysPlan['referred']> {
  if (keys.some(({ id }) => id === word)) return { id: word };
  const renamed = new Map(matched.map(({ entry, key }) => [key?.id, entry.name]));
  const named = keys.filter(({ id, name, revokedAt }) => revokedAt === null && (renamed.get(id) ?? name) === word);
  const made = matched.filter(({ entry, key }) => key === null && entry.name === word);
  if (named.length + made.length !== 1) return null;
  return named[0] === undefined ? { made: word } : { id: named[0].id };
}
