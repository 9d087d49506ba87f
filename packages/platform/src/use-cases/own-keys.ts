/** Keys that members make for themselves, within what an admin allows: the terms as people see them, and whom they bind. Decision 195. */
import { ownKeysMax, type OwnKeyCap, type OwnKeyTerms } from '@metergate/core/account/own-keys.ts';
import { hasRightsOf } from '@metergate/core/account/role.ts';
import type { PersonId } from '@metergate/core/id.ts';
import { formatDollars } from '@metergate/core/money.ts';
import { calendarWindows, type CalendarWindow } from '@metergate/core/spend/window.ts';
import { areModelPatterns, modelPatternsForm } from '@metergate/core/call/allowed-models.ts';
import type { KeyChanger } from '@metergate/store/settings/service-keys.ts';
import { z } from 'zod';
import type { Actor } from './actor.ts';
import { moneyField } from './money-field.ts';

/** US dollars, in a window. */
export interface ShownOwnCap {
  readonly window: CalendarWindow;
  readonly limit: string;
}

export interface ShownOwnKeyTerms {
  readonly keysMax: number;
  readonly models: readonly string[] | null;
  readonly lifetimeSecondsMax: number | null;
  readonly cap: ShownOwnCap | null;
  readonly personCap: ShownOwnCap | null;
}

/** As they are given: what is left out is null. */
export type OwnKeyTermsInput = Pick<ShownOwnKeyTerms, 'keysMax'> & {
  readonly [Name in Exclude<keyof ShownOwnKeyTerms, 'keysMax'>]?: ShownOwnKeyTerms[Name] | undefined;
};

const keysError = `A member may have 1 to ${ownKeysMax} keys of their own.`;
const lifeError = 'The longest life of an own key must be a whole number of seconds, from 1 to a hundred years.';

function capField() {
  return z.strictObject({
    window: z.enum(calendarWindows, { error: `The window of a cap must be one of ${calendarWindows.join(', ')}.` }),
    limit: moneyField('The limit of a cap'),
  }).nullable().default(null);
}

export const ownKeyFields = z.strictObject({
  keysMax: z.int({ error: keysError }).min(1, { error: keysError }).max(ownKeysMax, { error: keysError })
    .meta({ description: 'How many keys that work one member may have, those that an admin made for them included' }),
  models: z.array(z.string({ error: `${modelPatternsForm}.` }).min(1).max(256), { error: `${modelPatternsForm}.` })
    .refine(areModelPatterns, { error: `${modelPatternsForm}.` }).nullable().default(null)
    .meta({ description: 'Models that these keys may ask for; null: all that the organization allows' }),
  lifetimeSecondsMax: z.int({ error: lifeError }).min(1, { error: lifeError }).max(3_153_600_000, { error: lifeError }).nullable().default(null)
    .meta({ description: 'The longest life of such a key; null: it need not end' }),
  cap: capField().meta({ description: 'The cap that each such key gets; null: none. Caps of keys must refuse (enforceKeyCaps)' }),
  personCap: capField().meta({
    description: 'The cap that a member gets with such a key, or now if they have one, over all their keys, ended ones too; null: none. A cap that '
      + 'they have of that window stays as it is' }),
});

export function shownOwnKeys(terms: OwnKeyTerms | null): ShownOwnKeyTerms | null {
  if (terms === null) return null;
  const { keysMax, models, lifetimeMsMax, cap, personCap } = terms;
  return {
    keysMax, models, lifetimeSecondsMax: lifetimeMsMax === null ? null : Math.ceil(lifetimeMsMax / 1_000),
    cap: shownCap(cap), personCap: shownCap(personCap),
  };
}

function shownCap(cap: OwnKeyCap | null): ShownOwnCap | null {
  return cap === null ? null : { window: cap.window, limit: formatDollars(cap.limit) };
}

export function ownKeyTermsOf({ keysMax, models, lifetimeSecondsMax, cap, personCap }: z.output<typeof ownKeyFields>): OwnKeyTerms {
  return { keysMax, models, lifetimeMsMax: lifetimeSecondsMax === null ? null : lifetimeSecondsMax * 1_000, cap, personCap };
}

/**
 * The member whom terms of own keys bind; whether there are terms is checked by the change itself. Null: this actor may make and change keys as the
 * role allows. Tokens are made by admins, so a token is bound only if its maker is no longer an admin.
 */
export function boundMember({ kind, role, id, maker }: Actor): PersonId | null {
  const person = kind === 'person' ? { id: id as PersonId, role } : maker === null ? null : { id: maker.person, role: maker.role };
  return person === null || hasRightsOf(person.role, 'admin') ? null : person.id;
}

/** Who changes a key, if terms may bind them. Undefined: the operator, or a token that terms do not bind. */
export function changerOf(actor: Actor): KeyChanger | undefined {
  const bound = boundMember(actor);
  if (bound !== null) return { person: bound, isBound: true };
  return actor.kind === 'person' ? { person: actor.id as PersonId, isBound: false } : undefined;
}
