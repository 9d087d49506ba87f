/** Thresholds of caps, webhooks and the log of their deliveries. Rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { webhookEvents } from '@metergate/core/alert/webhook-event.ts';
import { deliveryStates } from '@metergate/store/alerts/deliveries.ts';
import { alertFields, listAlerts, removeAlert, setAlert } from '../../use-cases/alerts/alerts.ts';
import { createWebhook, listDeliveries, listWebhooks, removeWebhook, testWebhook, webhookFields } from '../../use-cases/webhooks/webhooks.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { operation } from '../operation.ts';
import { pageOf, pageOfShortList, shortListQuery } from '../paging.ts';
import { fieldsBeforeOrNone, idParams, instant } from './fields.ts';
import { seesPeople } from './whose.ts';

const alertSchema = z.object({
  id: z.string(), cap: z.string(), at: z.array(z.int()).openapi({ description: 'Percent of the limit' }),
}).openapi('Alert');
const webhookShape = {
  id: z.string(), url: z.string().openapi({ description: 'Only admins see all of it, others only the host: the rest can work like a password' }),
  events: z.array(z.enum(webhookEvents)).nullable(), createdAt: instant,
};
const webhookSchema = z.object(webhookShape).openapi('Webhook');
const deliverySchema = z.object({
  id: z.string(), messageId: z.string().openapi({ description: 'The webhook-id, the same in every attempt' }), type: z.string(),
  state: z.enum(deliveryStates), attempts: z.int(), createdAt: instant, lastAttemptAt: instant.nullable(), nextAttemptAt: instant.nullable(),
  status: z.int().nullable().openapi({ description: 'What the receiver answered last' }), error: z.string().nullable(),
}).openapi('WebhookDelivery');
const removed = (name: string) => z.object({ id: z.string(), removed: z.literal(true) }).openapi(name);

export const alertOperations = [
  operation({
    id: 'listAlerts', method: 'get', path: '/alerts', role: 'viewer', tag: 'alerts', summary: 'Thresholds of caps', refuses: ['unknown_organization'],
    query: shortListQuery, answer: pageOf(alertSchema),
    run: ({ context, actor: { organization }, query }) => pageOfShortList({ list: 'alerts', organization }, listAlerts(context, organization), query),
  }),
  operation({
    id: 'setAlert', method: 'post', path: '/alerts', role: 'admin', tag: 'alerts', status: 201,
    summary: 'Set the alert thresholds of a cap, replacing earlier ones', refuses: ['unknown_organization', 'unknown_cap', 'changed_meanwhile'],
    secrets: ['was'], body: alertFields.extend({ was: fieldsBeforeOrNone({ at: z.unknown() }) }), answer: alertSchema,
    run: ({ context, actor, sent }) => setAlert(context, { ...sent, organization: actor.organization }),
  }),
  operation({
    id: 'removeAlert', method: 'delete', path: '/alerts/{id}', role: 'admin', tag: 'alerts', summary: 'Remove the thresholds of a cap',
    refuses: ['unknown_organization', 'unknown_alert'],
    params: idParams, answer: removed('RemovedAlert'),
    run: ({ context, actor, params }) => removeAlert(context, params.id, actor.organization),
  }),
  operation({
    id: 'listWebhooks', method: 'get', path: '/webhooks', role: 'viewer', tag: 'webhooks', summary: 'Webhooks', refuses: ['unknown_organization'],
    query: shortListQuery, answer: pageOf(webhookSchema),
    run: ({ context, actor, actor: { organization }, query }) => pageOfShortList({ list: 'webhooks', organization },
      listWebhooks(context, organization).then((webhooks) => (isRefusal(webhooks) || seesPeople(actor) ? webhooks
        : webhooks.map((webhook) => ({ ...webhook, url: new URL(webhook.url).origin })))), query),
  }),
  operation({
    id: 'createWebhook', method: 'post', path: '/webhooks', role: 'admin', tag: 'webhooks', status: 201,
    summary: 'Create a webhook; only this response shows its secret', refuses: ['unknown_organization', 'invalid_webhook_url', 'too_many_webhooks'],
    body: webhookFields, answer: z.object({ ...webhookShape, secret: z.string() }).openapi('NewWebhook'),
    run: ({ context, parts, actor, sent }) => createWebhook(context, { ...sent, organization: actor.organization }, parts.upstreamRules),
  }),
  operation({
    id: 'removeWebhook', method: 'delete', path: '/webhooks/{id}', role: 'admin', tag: 'webhooks', summary: 'Remove a webhook and its deliveries',
    refuses: ['unknown_organization', 'unknown_webhook'],
    params: idParams, answer: removed('RemovedWebhook'),
    run: ({ context, actor, params }) => removeWebhook(context, params.id, actor.organization),
  }),
  operation({
    id: 'testWebhook', method: 'post', path: '/webhooks/{id}/test', role: 'admin', tag: 'webhooks', status: 201,
    summary: 'Send a test event to a webhook', refuses: ['unknown_organization', 'unknown_webhook'],
    params: idParams, answer: deliverySchema,
    run: ({ context, actor, params }) => testWebhook(context, params.id, actor.organization),
  }),
  operation({
    id: 'listWebhookDeliveries', method: 'get', path: '/webhooks/{id}/deliveries', role: 'viewer', tag: 'webhooks',
    summary: 'The last hundred deliveries, newest first', refuses: ['unknown_organization', 'unknown_webhook'],
    params: idParams, query: shortListQuery, answer: pageOf(deliverySchema),
    run: ({ context, actor: { organization }, params: { id }, query }) =>
      pageOfShortList({ list: `deliveries of ${id}`, organization }, listDeliveries(context, id, organization), query),
  }),
] as const;
