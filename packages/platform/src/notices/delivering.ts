/** Runs deliveries concurrently, with a limit in total and for each organization, so that a slow receiver delays nobody else. */
import type { GuardOf } from '@metergate/store/network/address-guard.ts';
import type { Store } from '@metergate/store/store.ts';
import type { DueDelivery } from '@metergate/store/alerts/deliveries.ts';
import { postNotice } from './post-notice.ts';

interface DeliveringOptions {
  readonly store: Pick<Store, 'webhooks' | 'deliveries'>;
  readonly guardOf: GuardOf;
  readonly clock: () => number;
  /** Per attempt, milliseconds. */
  readonly deadlineMs: number;
}

interface Delivering {
  /** Begins due deliveries, as far as there is room. */
  beginDue(): Promise<void>;
  /** Resolves when every delivery that was begun has ended. */
  idle(): Promise<void>;
}

const atOnce = 50;
const perOrganization = 5;

export function createDelivering({ store, guardOf, clock, deadlineMs }: DeliveringOptions): Delivering {
  const running = new Set<Promise<void>>();
  const underWay = new Map<string, number>();

  async function deliver(delivery: DueDelivery): Promise<void> {
    const webhook = await store.webhooks.find(delivery.webhook);
    if (webhook === null) return;
    const secret = await store.webhooks.secret(webhook);
    const guard = guardOf(delivery.organization);
    const attempt = secret === null ? { delivered: false, status: null, error: 'its secret cannot be read' }
      : await postNotice({ url: webhook.url, secret, id: delivery.message, body: delivery.body, nowMs: clock() }, { guard, deadlineMs });
    await store.deliveries.settle(delivery, attempt, clock());
  }

  function begin(delivery: DueDelivery): void {
    const { organization } = delivery;
    underWay.set(organization, (underWay.get(organization) ?? 0) + 1);
    const ended: Promise<void> = deliver(delivery)
      // It will be due again in a minute.
      .catch(() => {})
      .finally(() => {
        running.delete(ended);
        const left = underWay.get(organization)! - 1;
        if (left === 0) underWay.delete(organization);
        else underWay.set(organization, left);
      });
    running.add(ended);
  }

  return {
    async beginDue() {
      for (let room = atOnce - running.size; room > 0; room = atOnce - running.size) {
        const full = [...underWay].filter(([, count]) => count >= perOrganization).map(([organization]) => organization);
        const due = await store.deliveries.take(clock(), { limit: Math.min(room, perOrganization), except: full });
        for (const delivery of due) begin(delivery);
        if (due.length === 0) return;
      }
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
