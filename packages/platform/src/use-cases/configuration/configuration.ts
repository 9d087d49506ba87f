/**
 * An organization's configuration as one document, as it is exported and applied. Decision 76; docs/config-file.md. Fields and forms are
 * those of HTTP and the command. A field or section that is left out stays as it is; null removes a value. It contains no secret.
 */
import { formatDollars, nanoDollars } from '@metergate/core/money.ts';
import { capRules, type CapMode, type CapScope } from '@metergate/core/spend/cap.ts';
import type { CalendarWindow } from '@metergate/core/spend/window.ts';
import type { WebhookEvent } from '@metergate/core/alert/webhook-event.ts';
import { upstreamDialects, type UpstreamDialect } from '@metergate/core/usage/dialect-names.ts';
import { upstreamAuths, type UpstreamAuth } from '@metergate/core/wire/upstream-auth.ts';
import { nameRefusal, projectRefusal } from '@metergate/store/engine/names.ts';
import type { StoreRefusal } from '@metergate/store/engine/refusal.ts';
import { z } from 'zod';
import { allocationFields, type AllocationDocument } from '../allocation/rules-fields.ts';
import { alertFields } from '../alerts/alerts.ts';
import { capFields, namesOwnSubject } from '../caps.ts';
import { moneyField } from '../money-field.ts';
import { modelsField, settingsFields, type OrganizationSettingsInput } from '../organizations.ts';
import { ownKeyTermsOf, shownOwnKeys } from '../own-keys.ts';
import { webhookFields } from '../webhooks/webhooks.ts';

export interface KeyEntry {
  /** Identifies keys that have no name or share one. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly project?: string | null | undefined;
  /** US dollars, decimal text with nine places, as all money below. */
  readonly maxRunBudget?: string | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  /** ISO 8601 UTC. */
  readonly expiresAt?: string | null | undefined;
  readonly disabled?: boolean | undefined;
}

export interface CapEntry {
  readonly scope: CapScope;
  /** A key's name or id. */
  readonly key: string | null;
  readonly project: string | null;
  /** A member's email. */
  readonly person: string | null;
  readonly label: string | null;
  readonly window: CalendarWindow;
  readonly limit: string;
  readonly mode?: CapMode | undefined;
  /** Percentages of its limit at which webhooks are notified; null: none. */
  readonly alerts?: readonly number[] | null | undefined;
}

export interface WebhookEntry {
  readonly url: string;
  /** Null: all. */
  readonly events?: readonly WebhookEvent[] | null | undefined;
}

/** Where a credential stands, in place of the credential. */
export interface CredentialReference {
  readonly env?: string | undefined;
  readonly file?: string | undefined;
}

export interface UpstreamEntry {
  readonly url: string;
  readonly enabled?: boolean | undefined;
  /** Null: none is needed. */
  readonly credential?: CredentialReference | null | undefined;
}

export interface NamedUpstreamEntry extends UpstreamEntry {
  readonly name: string;
  readonly auth?: UpstreamAuth | undefined;
  readonly dialect?: UpstreamDialect | null | undefined;
  readonly provider?: string | null | undefined;
}

export interface Configuration {
  readonly organization?: string | undefined;
  readonly settings?: OrganizationSettingsInput | undefined;
  readonly keys?: readonly KeyEntry[] | undefined;
  readonly caps?: readonly CapEntry[] | undefined;
  readonly webhooks?: readonly WebhookEntry[] | undefined;
  readonly upstream?: UpstreamEntry | null | undefined;
  readonly upstreams?: readonly NamedUpstreamEntry[] | undefined;
  /** Null: none. */
  readonly allocation?: AllocationDocument | null | undefined;
}

const text = (what: string) => z.string({ error: `${what} must be text; put it in quotes.` });

/** Text that the store would keep; the store's own sentence if it would not. */
const kept = (what: string, refusalOf: (value: string) => StoreRefusal | null) => text(what).superRefine((value, context) => {
  const refusal = refusalOf(value);
  if (refusal !== null) context.addIssue({ code: 'custom', message: refusal.refused.message });
});

const project = kept('A project', projectRefusal);
const instant = z.iso.datetime({ offset: true, error: 'An expiry must be an instant with its offset, such as 2027-01-01T00:00:00Z.' })
  .transform((value) => new Date(value).toISOString());
const flag = (what: string) => z.boolean({ error: `${what} must be true or false.` }).optional();
/** Checked by the field that HTTP and the command use, and kept in the form that they show. */
const money = (what: string) => moneyField(what).transform((amount) => formatDollars(amount));

const keyEntry = z.strictObject({
  id: text('The id of a key').optional(),
  name: kept('A key name', (value) => nameRefusal('A key name', value)).optional(),
  project: project.nullable().optional(),
  maxRunBudget: money('The run budget of a key').nullable().optional(),
  models: modelsField.optional(),
  expiresAt: instant.nullable().optional(),
  disabled: flag('Whether a key is disabled'),
}).refine(({ id, name }) => id !== undefined || name !== undefined, { error: 'A key needs a name, or an id.' });

const capEntry = z.strictObject({
  ...capFields.shape,
  project: project.nullable().default(null),
  limit: money('The limit of a cap'),
  mode: capFields.shape.mode.unwrap().optional(),
  alerts: alertFields.shape.at.transform((at) => [...new Set(at)].toSorted((one, other) => one - other)).nullable().optional(),
}).refine(namesOwnSubject, { error: capRules.subject });

const webhookEntry = z.strictObject({
  url: webhookFields.shape.url,
  events: webhookFields.shape.events.unwrap().transform((events) => (events === null ? null : [...new Set(events)])).optional(),
});

const reference = z.strictObject({ env: text('The variable of a credential').optional(), file: text('The file of a credential').optional() })
  .refine(({ env, file }) => (env === undefined) !== (file === undefined), {
    error: 'Name the variable (env) or the file (file) that holds the credential. The credential itself does not belong here.',
  });

const upstreamEntry = z.strictObject({
  url: text('The URL of the upstream'), enabled: flag('Whether the upstream is enabled'), credential: reference.nullable().optional(),
});

const oneOf = <const Values extends readonly [string, ...string[]]>(what: string, values: Values) =>
  z.enum(values, { error: `${what} must be one of ${values.join(', ')}.` });

const namedUpstreamEntry = upstreamEntry.extend({
  name: text('The name of an upstream'), auth: oneOf('The auth of an upstream', upstreamAuths).optional(),
  dialect: oneOf('The dialect of an upstream', upstreamDialects).nullable().optional(),
  provider: text('The provider of an upstream').nullable().optional(),
});

const list = <Entry extends z.ZodType>(entry: Entry, what: string) => z.array(entry, { error: `${what} must be a list.` }).optional();

export const configurationFields = z.strictObject({
  organization: text('The organization').optional(),
  settings: settingsFields.transform(shownSettings).optional(),
  keys: list(keyEntry, 'The keys'),
  caps: list(capEntry, 'The caps'),
  webhooks: list(webhookEntry, 'The webhooks'),
  upstream: upstreamEntry.nullable().optional(),
  upstreams: list(namedUpstreamEntry, 'The upstreams'),
  allocation: allocationFields.nullable().optional(),
});

/** Money in the form in which it is shown, so that the wanted and the current value can be compared. */
function shownSettings(settings: z.output<typeof settingsFields>): OrganizationSettingsInput {
  const dollars = (amount: bigint | null) => (amount === null ? null : formatDollars(nanoDollars(amount)));
  const shown = Object.entries(settings).filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, typeof value === 'bigint' ? dollars(value) : value] as const);
  const { fallbackPrice, ownKeys } = settings;
  return {
    ...Object.fromEntries(shown),
    ...(ownKeys === undefined ? {} : { ownKeys: ownKeys === null ? null : shownOwnKeys(ownKeyTermsOf(ownKeys)) }),
    ...(fallbackPrice === undefined ? {} : {
      fallbackPrice: fallbackPrice === null ? null
        : { input: dollars(fallbackPrice.inputNanoPerMillion)!, output: dollars(fallbackPrice.outputNanoPerMillion)! },
    }),
  };
}
