/** Service keys of the organization. Rule 17; rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { providers } from '@metergate/core/wire/wire.ts';
import {
  createServiceKey, listServiceKeys, revokeServiceKey, rotateServiceKey, setServiceKey,
} from '../../use-cases/service-keys.ts';
import { boundMember, changerOf } from '../../use-cases/own-keys.ts';
import { makeTestCall } from '../../use-cases/test-call.ts';
import { modelsField } from '../../use-cases/organizations.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { operation } from '../operation.ts';
import { pageOf, pageQuery, placeByMaking, storedPage } from '../paging.ts';
import { dollars, dollarsSent, emailSent, fieldsBefore, idParams, instant, lifeSeconds, lifetimeMs, projectSent } from './fields.ts';
import { asSeenBy, ofOthers } from './whose.ts';

/** What a change of a key may alter. */
const changeable = {
  name: z.string().nullable(), project: z.string().nullable(), expiresAt: instant.nullable(),
  disabledAt: instant.nullable().openapi({ description: 'It admits no calls until it is enabled again' }), maxRunBudget: dollars.nullable(),
  models: z.array(z.string()).readonly().nullable()
    .openapi({ description: 'Models that may be asked for with it; null: all that the organization allows' }),
};
const keyFields = {
  id: z.string(), prefix: z.string(), ...changeable, createdAt: instant, revokedAt: instant.nullable(),
  lastUsedAt: instant.nullable().openapi({ description: 'To the minute; null: never used' }),
  person: z.string().nullable().openapi({
    description: 'Email of the member whose key it is. It ends when they leave. Null: nobody\'s in particular, or not for the caller to see' }),
};
const keySchema = z.object(keyFields).openapi('ServiceKey');

export const keyOperations = [
  operation({
    id: 'listKeys', method: 'get', path: '/keys', role: 'viewer', tag: 'keys', summary: 'Service keys, oldest first, without the keys themselves',
    refuses: ['unknown_organization'],
    query: pageQuery, answer: pageOf(keySchema),
    run: ({ context, actor, actor: { organization }, query }) => storedPage({ list: 'keys', organization }, query, {
      read: async (page) => {
        const keys = await listServiceKeys(context, organization, page);
        return isRefusal(keys) ? keys : keys.map((key) => asSeenBy(actor, key));
      },
      placeOf: placeByMaking,
    }),
  }),
  operation({
    id: 'createKey', method: 'post', path: '/keys', role: 'member', tag: 'keys', status: 201, summary: 'Make a service key; it is shown only once',
    refuses: ['unknown_organization', 'unknown_member', 'invalid_name', 'invalid_setting', 'too_many_keys', 'forbidden'],
    body: z.strictObject({
      name: z.string().min(1).max(200).nullable().optional(), project: projectSent.nullable().optional(),
      expiresInSeconds: lifeSeconds, maxRunBudget: dollarsSent.nullable().optional(), models: modelsField.optional(),
      person: emailSent.nullable().optional().openapi({ description: 'Email of the member whose key it is to be' }),
    }),
    answer: z.object({ id: z.string(), key: z.string(), prefix: z.string(), maxRunBudget: dollars.optional() }).openapi('MintedServiceKey'),
    run: async ({ context, actor, body }) => {
      const others = ofOthers(actor, body.person ?? null, 'make a key for');
      if (others !== null) return others;
      return createServiceKey(context, {
        organization: actor.organization, name: body.name ?? null, project: body.project ?? null,
        lifetimeMs: lifetimeMs(body.expiresInSeconds), maxRunBudget: body.maxRunBudget ?? null, models: body.models ?? null,
        person: body.person ?? null, boundMaker: boundMember(actor) ?? undefined,
      });
    },
  }),
  operation({
    id: 'makeTestCall', method: 'post', path: '/test-calls', role: 'member', tag: 'keys', secrets: ['key'],
    summary: 'Send one small call through the gateway with a service key; it is metered like every other',
    refuses: ['unknown_organization', 'unknown_key', 'gateway_unreachable'],
    body: z.strictObject({
      key: z.string().min(1).max(300), provider: z.enum(providers), model: z.string().min(1).max(256),
    }),
    answer: z.object({
      id: z.string().nullable().openapi({ description: '`x-svc-request-id` of the answer' }), status: z.int(),
      code: z.string().nullable().openapi({ description: '`error.code` of the answer; null: it was answered' }), message: z.string().nullable(),
    }).openapi('TestCall'),
    run: ({ context, parts: { gatewayUrl }, actor: { organization }, body }) => makeTestCall(context, { organization, ...body, gatewayUrl }),
  }),
  operation({
    id: 'setKey', method: 'patch', path: '/keys/{id}', role: 'member', tag: 'keys',
    summary: 'Rename, move, disable or enable a service key, or change when it expires; fields left out stay',
    refuses: ['unknown_key', 'key_revoked', 'invalid_name', 'invalid_setting', 'changed_meanwhile', 'forbidden', 'too_many_keys'],
    params: idParams, secrets: ['was'],
    body: z.strictObject({
      name: z.string().min(1).max(200).nullable().optional(), project: projectSent.nullable().optional(), disabled: z.boolean().optional(),
      expiresInSeconds: lifeSeconds, maxRunBudget: dollarsSent.nullable().optional(), models: modelsField.optional(),
      was: fieldsBefore(changeable),
    }),
    answer: keySchema,
    run: async ({ context, actor, params, sent: { expiresInSeconds, ...sent } }) => {
      const place = { id: params.id, within: actor.organization, by: changerOf(actor) };
      const set = await setServiceKey(context, place, {
        ...sent, ...(expiresInSeconds === undefined ? {} : { lifetimeMs: lifetimeMs(expiresInSeconds) }),
      });
      return isRefusal(set) ? set : asSeenBy(actor, set);
    },
  }),
  operation({
    id: 'rotateKey', method: 'post', path: '/keys/{id}/rotate', role: 'member', tag: 'keys',
    summary: 'Replace the secret of a service key, shown this once; the old one still works for the grace time',
    refuses: ['unknown_key', 'key_revoked', 'forbidden'], params: idParams,
    body: z.strictObject({ graceSeconds: z.int().min(0).max(7_776_000).default(0) }),
    answer: z.object({ id: z.string(), key: z.string(), prefix: z.string(), formerUntil: instant }).openapi('RotatedServiceKey'),
    run: async ({ context, actor, params, body }) => rotateServiceKey(
      context, { id: params.id, within: actor.organization, by: changerOf(actor) }, body.graceSeconds * 1_000),
  }),
  operation({
    id: 'revokeKey', method: 'delete', path: '/keys/{id}', role: 'member', tag: 'keys', summary: 'Revoke a service key for good',
    refuses: ['unknown_key', 'forbidden'],
    params: idParams, answer: z.object({ ...keyFields, alreadyRevoked: z.boolean() }).openapi('RevokedServiceKey'),
    run: async ({ context, actor, params }) => {
      const revoked = await revokeServiceKey(context, params.id, actor.organization, changerOf(actor));
      return isRefusal(revoked) ? revoked : asSeenBy(actor, revoked);
    },
  }),
] as const;
