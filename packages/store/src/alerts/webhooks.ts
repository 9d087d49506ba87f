/** Webhooks of organizations: their URL, their events, and the signing secret, sealed under the organization's data key. */
import { idPrefix, newId, type OrganizationId } from '@metergate/core/id.ts';
import { testEvent, type WebhookEvent } from '@metergate/core/alert/webhook-event.ts';
import type { Kysely, Selectable } from 'kysely';
import { sealFor } from '../sealing/data-key.ts';
import { followMasterKey } from '../sealing/master-key-rotation.ts';
import type { CredentialPlace } from '../sealing/vault.ts';
import { unknownOrganization } from '../settings/organizations.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { WebhookTable } from '../schema/alert-schema.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import { raiseNotice } from './raise-notice.ts';

export interface Webhook {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly url: string;
  /** Null: all events, present and future. */
  readonly events: readonly WebhookEvent[] | null;
  readonly createdAtMs: number;
}

export interface Webhooks {
  /** Returns the secret in plain text, only this once. Refuses `unknown_organization`, `too_many_webhooks`. */
  create(wanted: Pick<Webhook, 'organization' | 'url' | 'events'>): Promise<(Webhook & { readonly secret: string }) | StoreRefusal>;
  /** In the order they were made. */
  list(organization: OrganizationId): Promise<Webhook[]>;
  /** `within`: of this organization only. Null: there is none. */
  find(id: string, within?: OrganizationId): Promise<Webhook | null>;
  /** Changes the events it receives; its secret stays. Refuses `unknown_webhook`. */
  setEvents(id: string, events: Webhook['events'], within?: OrganizationId): Promise<Webhook | StoreRefusal>;
  /** Removes it with its deliveries. Refuses `unknown_webhook`. */
  remove(id: string, within?: OrganizationId): Promise<Webhook | StoreRefusal>;
  /** Makes a delivery of a test event, due now. Null: there is no such webhook. */
  test(id: string, within?: OrganizationId): Promise<{ readonly organization: OrganizationId; readonly delivery: string } | null>;
  /** The secret; null: it cannot be unsealed. */
  secret(webhook: Webhook): Promise<string | null>;
}

/** The most webhooks of one organization. */
export const webhooksMax = 20;
const secretPrefix = 'whsec_';

export function webhooksIn(context: StoreContext): Webhooks {
  const { engine, vault, clock, randomBytes } = context;
  const find = (id: string, within?: OrganizationId): Promise<Webhook | null> => engine.read((db) => findIn(db, id, within));
  return {
    create: ({ organization, url, events }) => engine.write(async (transaction) => {
      const known = await transaction.selectFrom('organization_data_key').select('organization').where('organization', '=', organization)
        .executeTakeFirst();
      if (known === undefined) return unknownOrganization();
      const all = await transaction.selectFrom('webhook').select('id').where('organization', '=', organization).execute();
      if (all.length >= webhooksMax) return refuse('too_many_webhooks', `An organization has at most ${webhooksMax} webhooks. Remove one first.`);
      const id = newId(idPrefix.webhook, context.randomBytes);
      const secret = secretPrefix + Buffer.from(randomBytes(32)).toString('base64');
      const sealed = await sealFor(transaction, vault, { credential: secret, place: secretPlace(organization, id) });
      const row = { id, organization, url, events: events === null ? null : JSON.stringify(events), sealed, created_at_ms: clock() };
      await transaction.insertInto('webhook').values(row).execute();
      return { id, organization, url, events, createdAtMs: row.created_at_ms, secret };
    }, (made) => ({ action: 'createWebhook', organization: made.organization, subject: made.id })),
    list: (organization) => engine.read(async (db) => (await db.selectFrom('webhook').selectAll().where('organization', '=', organization)
      .orderBy('created_at_ms').orderBy('id').execute()).map(webhookOf)),
    find,
    setEvents: (id, events, within) => engine.write<Webhook | StoreRefusal>(async (transaction) => {
      const webhook = await findIn(transaction, id, within);
      if (webhook === null) return unknownWebhook();
      await transaction.updateTable('webhook').set({ events: events === null ? null : JSON.stringify(events) }).where('id', '=', id).execute();
      return { ...webhook, events };
    }, ({ organization }) => ({ action: 'setWebhook', organization, subject: id })),
    remove: (id, within) => engine.write<Webhook | StoreRefusal>(async (transaction) => {
      const webhook = await findIn(transaction, id, within);
      if (webhook === null) return unknownWebhook();
      await transaction.deleteFrom('webhook_delivery').where('webhook', '=', id).execute();
      await transaction.deleteFrom('webhook').where('id', '=', id).execute();
      return webhook;
    }, ({ organization }) => ({ action: 'removeWebhook', organization, subject: id })),
    test: (id, within) => engine.write(async (transaction) => {
      const webhook = await findIn(transaction, id, within);
      if (webhook === null) return null;
      const atMs = Math.floor(clock());
      const raised = await raiseNotice(context, transaction, {
        organization: webhook.organization, type: testEvent, dedupe: newId('test/', context.randomBytes), data: { webhook: id }, atMs,
      }, id);
      const delivery = raised?.deliveries[0];
      return delivery === undefined ? null : { organization: webhook.organization, delivery };
    }, (tested) => tested === null ? null : { action: 'testWebhook', organization: tested.organization, subject: id }),
    secret: (webhook) => engine.read(async (db) => {
      await followMasterKey(db, vault);
      const row = await db.selectFrom('webhook as w').innerJoin('organization_data_key as k', 'k.organization', 'w.organization')
        .select(['w.sealed', 'k.wrapped']).where('w.id', '=', webhook.id).executeTakeFirst();
      return row === undefined ? null : vault.unsealCredential(row.sealed, row.wrapped, secretPlace(webhook.organization, webhook.id));
    }),
  };
}

/** The one refusal for a webhook that does not exist or belongs to another organization. */
function unknownWebhook(): StoreRefusal {
  return refuse('unknown_webhook', 'There is no webhook with this id.');
}

async function findIn(db: Kysely<Schema>, id: string, within?: OrganizationId): Promise<Webhook | null> {
  if (id.includes('\0')) return null;
  let query = db.selectFrom('webhook').selectAll().where('id', '=', id);
  if (within !== undefined) query = query.where('organization', '=', within);
  const row = await query.executeTakeFirst();
  return row === undefined ? null : webhookOf(row);
}

function webhookOf({ id, organization, url, events, created_at_ms: createdAtMs }: Selectable<WebhookTable>): Webhook {
  return {
    id, organization: organization as OrganizationId, url, events: events === null ? null : (JSON.parse(events) as WebhookEvent[]),
    createdAtMs: Number(createdAtMs),
  };
}

function secretPlace(organization: string, id: string): CredentialPlace {
  return { purpose: 'webhook-secret', organization, record: id, version: 1n };
}
