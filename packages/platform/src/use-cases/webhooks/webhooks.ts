/**
 * Webhooks as administration sees them: creating, listing, removing and testing them, with the log of their deliveries. Rules: `webhook`.
 */
import { webhookEvents, type WebhookEvent } from '@metergate/core/alert/webhook-event.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { Delivery, DeliveryState } from '@metergate/store/alerts/deliveries.ts';
import type { Webhook } from '@metergate/store/alerts/webhooks.ts';
import { z } from 'zod';
import type { UseCaseContext } from '../context.ts';
import { checkInput } from '../input.ts';
import { findOrganization } from '../organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';
import type { UpstreamUrlRules } from '../upstream-url.ts';
import { parseWebhookUrl } from './webhook-url.ts';

export interface ShownWebhook {
  readonly id: string;
  readonly url: string;
  /** The events it receives; null: all. */
  readonly events: readonly WebhookEvent[] | null;
  readonly createdAt: string;
}

interface ShownDelivery {
  readonly id: string;
  /** The `webhook-id` that the receiver sees, the same in every attempt. */
  readonly messageId: string;
  readonly type: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: string;
  readonly lastAttemptAt: string | null;
  /** Null unless pending. */
  readonly nextAttemptAt: string | null;
  /** The receiver's last status. */
  readonly status: number | null;
  /** Why there was no answer. */
  readonly error: string | null;
}

export const webhookFields = z.strictObject({
  url: z.string({ error: 'The URL of a webhook must be text.' })
    .meta({ description: 'https, at a public address', example: 'https://example.com/hook' }),
  events: z.array(z.enum(webhookEvents, { error: `An event must be one of ${webhookEvents.join(', ')}.` })).min(1, {
    error: 'Name at least one event, or leave the events out for all of them.',
  }).nullable().default(null),
});

/** `secret`: shown only this once. */
export async function createWebhook(
  context: UseCaseContext, { organization: idOrName, ...wanted }: z.input<typeof webhookFields> & { readonly organization: string },
  rules: UpstreamUrlRules,
): Promise<(ShownWebhook & { readonly secret: string }) | AdministrationRefusal> {
  const checked = checkInput(webhookFields, wanted);
  if (isRefusal(checked)) return checked;
  const parsed = parseWebhookUrl(checked.value.url, rules);
  if ('refusal' in parsed) return refuseInput('invalid_webhook_url', parsed.refusal);
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const events = checked.value.events === null ? null : [...new Set(checked.value.events)];
  const made = await context.store.webhooks.create({ organization: organization.id, url: parsed.url, events });
  return isRefusal(made) ? made : { ...shownWebhook(made), secret: made.secret };
}

/** An organization's webhooks, without their secrets. Refuses `unknown_organization`. */
export async function listWebhooks(context: UseCaseContext, idOrName: string): Promise<ShownWebhook[] | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  return isRefusal(organization) ? organization : (await context.store.webhooks.list(organization.id)).map(shownWebhook);
}

/** Changes the events it receives; its secret stays. `within`: only a webhook of this organization, here and below. */
export async function setWebhook(
  context: UseCaseContext, id: string, wanted: Pick<z.input<typeof webhookFields>, 'events'>, within?: string,
): Promise<ShownWebhook | AdministrationRefusal> {
  const checked = checkInput(webhookFields.pick({ events: true }), wanted);
  if (isRefusal(checked)) return checked;
  const organization = within === undefined ? undefined : await findOrganization(context, within);
  if (isRefusal(organization)) return organization;
  const set = await context.store.webhooks.setEvents(id, checked.value.events, organization?.id);
  return isRefusal(set) ? set : shownWebhook(set);
}

/** Also ends its deliveries. `within`: only of this organization. Refuses `unknown_webhook`. */
export async function removeWebhook(
  context: UseCaseContext, id: string, within?: string,
): Promise<{ readonly id: string; readonly removed: true } | AdministrationRefusal> {
  const organization = within === undefined ? undefined : await findOrganization(context, within);
  if (isRefusal(organization)) return organization;
  const removed = await context.store.webhooks.remove(id, organization?.id);
  return isRefusal(removed) ? removed : { id: removed.id, removed: true };
}

/** Makes a platform send a test event within a second or two; returns its delivery. */
export async function testWebhook(context: UseCaseContext, id: string, within?: string): Promise<ShownDelivery | AdministrationRefusal> {
  const organization = within === undefined ? undefined : await findOrganization(context, within);
  if (isRefusal(organization)) return organization;
  const tested = await context.store.webhooks.test(id, organization?.id);
  const found = tested === null ? null : await context.store.deliveries.find(tested.delivery, tested.organization);
  return found === null ? refuseInput('unknown_webhook', 'There is no webhook with this id.') : shownDelivery(found);
}

const deliveriesShown = 100;

/** Newest first, the last hundred. */
export async function listDeliveries(context: UseCaseContext, id: string, within?: string): Promise<ShownDelivery[] | AdministrationRefusal> {
  const organization = within === undefined ? undefined : await findOrganization(context, within);
  if (isRefusal(organization)) return organization;
  const webhook = await context.store.webhooks.find(id, organization?.id);
  if (webhook === null) return refuseInput('unknown_webhook', 'There is no webhook with this id.');
  return (await context.store.deliveries.list(webhook.id, deliveriesShown, webhook.organization)).map(shownDelivery);
}

function shownWebhook({ id, url, events, createdAtMs }: Webhook): ShownWebhook {
  return { id, url, events, createdAt: isoText(createdAtMs) };
}

/** A delivery in the form shown to people: instants in ISO 8601, UTC. */
function shownDelivery(delivery: Delivery): ShownDelivery {
  const { id, message, type, state, attempts, createdAtMs, lastAtMs, nextAtMs, lastStatus, lastError } = delivery;
  return {
    id, messageId: message, type, state, attempts, createdAt: isoText(createdAtMs), lastAttemptAt: isoText(lastAtMs),
    nextAttemptAt: isoText(nextAtMs), status: lastStatus, error: lastError,
  };
}
