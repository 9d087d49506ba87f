/** The organization's own settings: what a configuration changes of them. */
import { allowsAllUnmetered, unmeteredKinds, type UnmeteredPolicy } from '@metergate/core/usage/unmetered.ts';
import { setOrganization, type OrganizationSettingsInput, type ShownOrganization } from '../organizations.ts';
import type { OwnKeyTermsInput, ShownOwnCap } from '../own-keys.ts';
import { differing, doneOr, nothingPlanned, type SectionPlan, type ShownValue } from './planned-change.ts';

/** Settings that are kept together are shown as one. */
type Flat = Readonly<Record<string, ShownValue | undefined>>;

const agreed = ['requestsPerMinute', 'tokensPerMinute'] as const;

/** The one step that sets the settings that differ; none if nothing does. Pure. */
export function planSettings(organization: ShownOrganization, wanted: OrganizationSettingsInput | undefined): SectionPlan {
  if (wanted === undefined) return nothingPlanned;
  const { id, name: _name, createdAt: _createdAt, recordsGoneBefore: _gone, ...current } = organization;
  const fields = differing(flat(current, current.unmetered) as Readonly<Record<string, ShownValue>>, flat(wanted, current.unmetered));
  if (fields.length === 0) return nothingPlanned;
  const changes = Object.fromEntries(fields.map(({ field }) => [field, wanted[field as keyof OrganizationSettingsInput]]));
  const unfit = (wanted.plan ?? organization.plan) === 'enterprise' ? []
    : agreed.filter((field) => (changes[field] ?? null) !== null);
  return {
    left: 0,
    problems: unfit.map((field) => ({
      path: ['settings', field], sentence: 'Requests and tokens per minute can be set on the enterprise plan only; the other plans have their own.',
    })),
    steps: [{
      change: { action: 'change', kind: 'settings', name: organization.name, fields }, makesSecret: false,
      run: async (context) => doneOr(await setOrganization(context, id, changes)),
    }],
  };
}

function flat({ fallbackPrice, unmetered, ownKeys, ...given }: OrganizationSettingsInput, current: UnmeteredPolicy): Flat {
  const others = ownKeys === undefined ? given : { ...given, ownKeys: ownKeys === null ? null : termWords(ownKeys) };
  const rules = unmetered === null ? allowsAllUnmetered : { ...current, ...unmetered };
  const rest = unmetered === undefined ? others : { ...others, unmetered: unmeteredKinds.map((kind) => `${kind}=${rules[kind]}`) };
  if (fallbackPrice === undefined) return rest;
  return { ...rest, fallbackPrice: fallbackPrice === null ? null : [fallbackPrice.input, fallbackPrice.output] };
}

function termWords({ keysMax, models = null, lifetimeSecondsMax = null, cap = null, personCap = null }: OwnKeyTermsInput): readonly string[] {
  return [
    `keysMax=${keysMax}`, `models=${models?.join(' ') ?? 'all'}`, `lifetimeSecondsMax=${lifetimeSecondsMax ?? 'none'}`,
    `cap=${capWords(cap)}`, `personCap=${capWords(personCap)}`,
  ];
}

function capWords(cap: ShownOwnCap | null): string {
  return cap === null ? 'none' : `${cap.limit}/${cap.window}`;
}
