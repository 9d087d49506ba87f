/**
 * Raises a notice of an event, with one delivery for each webhook of the organization that listens to it, in the transaction that detected
 * it. A second notice with the same `dedupe` is ignored.
 */
import { createHash } from 'node:crypto';
import { idFromBytes, idPrefix, newId } from '@metergate/core/id.ts';
import type { testEvent, WebhookEvent } from '@metergate/core/alert/webhook-event.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { Selectable, Transaction } from 'kysely';
import type { WebhookTable } from '../schema/alert-schema.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface Happening {
  readonly organization: string;
  readonly type: WebhookEvent | typeof testEvent;
  /** Two notices of one organization with the same text count as one. */
  readonly dedupe: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

type IdContext = Pick<StoreContext, 'randomBytes'>;

/** False: nobody listens, or it was raised before. `only`: sends it only to this webhook, whatever it listens to. */
export async function raiseNotice(
  context: IdContext, transaction: Transaction<Schema>, { organization, type, dedupe, data, atMs }: Happening, only?: string,
): Promise<{ readonly notice: string; readonly deliveries: readonly string[] } | null> {
  const webhooks = (await transaction.selectFrom('webhook').selectAll().where('organization', '=', organization).execute())
    .filter((webhook) => only === undefined ? listensTo(webhook, type) : webhook.id === only);
  if (webhooks.length === 0) return null;
  const notice = noticeId(organization, dedupe);
  const { numInsertedOrUpdatedRows } = await transaction.insertInto('notice').values({
    id: notice, organization, type, dedupe, at_ms: atMs, body: JSON.stringify({ type, timestamp: isoText(atMs), data }),
  }).onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) return null;
  const deliveries = webhooks.map(({ id }) => ({
    id: newId(idPrefix.delivery, context.randomBytes), organization, webhook: id, notice, state: 'pending', attempts: 0,
    created_at_ms: atMs, next_at_ms: atMs, last_at_ms: null, last_status: null, last_error: null,
  }));
  await transaction.insertInto('webhook_delivery').values(deliveries).execute();
  return { notice, deliveries: deliveries.map(({ id }) => id) };
}

/** A store that was restored raises the event again, and receivers recognize its `webhook-id`. */
function noticeId(organization: string, dedupe: string): string {
  return idFromBytes(idPrefix.notice, createHash('sha512').update(JSON.stringify([organization, dedupe])).digest());
}

function listensTo({ events }: Selectable<WebhookTable>, type: string): boolean {
  return events === null || (JSON.parse(events) as string[]).includes(type);
}
