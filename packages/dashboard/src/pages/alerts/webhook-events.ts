/** The events of webhooks, in words. */
import type { Shown } from '../../api/client.ts';
import { wordsFor } from '../../shown/choices.ts';

export type WebhookEventName = NonNullable<Shown<'Webhook'>['events']>[number];

export const eventWords = {
  'cap.threshold': 'A cap passed a threshold',
  'cap.reached': 'A cap is reached',
  'cap.reset': 'A reached cap starts again',
  'budget.threshold': "A month's budget passed a threshold",
  'budget.reached': "A month's budget is spent",
  'budget.expected': "More than a month's budget is expected",
  'spend.unusual': 'A day of unusual spend',
  'run.over_budget': 'A run ended over its budget',
  'baseline.reporting': 'A Baseline began to report',
  'baseline.closed': 'A Baseline is closed',
} satisfies Record<WebhookEventName, string>;

export function eventName(type: string): string {
  return type === 'webhook.test' ? 'Test' : wordsFor(eventWords, type);
}
