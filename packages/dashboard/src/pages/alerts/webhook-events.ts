/** The events of webhooks, in words. */
import type { Shown } from '../../api/client.ts';

export type WebhookEvent = NonNullable<Shown<'Webhook'>['events']>[number];

export const webhookEvents = [
  { value: 'cap.threshold', label: 'A cap passed a threshold' },
  { value: 'cap.reached', label: 'A cap is reached' },
  { value: 'cap.reset', label: 'A reached cap starts again' },
  { value: 'spend.unusual', label: 'A day of unusual spend' },
  { value: 'run.over_budget', label: 'A run ended over its budget' },
  { value: 'baseline.reporting', label: 'A Baseline began to report' },
  { value: 'baseline.closed', label: 'A Baseline is closed' },
] as const satisfies readonly { readonly value: WebhookEvent; readonly label: string }[];

export function eventName(type: string): string {
  return type === 'webhook.test' ? 'Test' : (webhookEvents.find(({ value }) => value === type)?.label ?? type);
}
