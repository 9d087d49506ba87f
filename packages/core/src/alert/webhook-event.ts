/** The events that webhooks receive, and how often a delivery is tried. Events follow the Standard Webhooks form: `{type, timestamp, data}`. */

export const webhookEvents = [
  'cap.threshold', 'cap.reached', 'cap.reset', 'budget.threshold', 'budget.reached', 'budget.expected', 'spend.unusual', 'run.over_budget',
  'baseline.reporting', 'baseline.closed',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Sent on request only, whatever a webhook listens to. */
export const testEvent = 'webhook.test';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Pauses after the first, second, … failed attempt. After the last one it is given up: a day and a half in all. */
const retryPausesMs = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, hourMs, 6 * hourMs, 24 * hourMs] as const;

/** Milliseconds until the next attempt; null: there is none. `attempts`: those that failed, from 1. */
export function retryPauseMs(attempts: number): number | null {
  return retryPausesMs[attempts - 1] ?? null;
}

/** The text that is signed with HMAC-SHA256. `timestampS`: whole seconds since the epoch. */
export function signedContent(id: string, timestampS: number, body: string): string {
  return `${id}.${timestampS}.${body}`;
}
