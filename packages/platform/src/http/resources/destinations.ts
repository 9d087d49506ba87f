/** Where calls go: provider keys and the declared upstream. Design 3, rows 18 and 19; design 5. A credential goes in and never comes out. */
import { z } from '@hono/zod-openapi';
import { providers } from '@metergate/core/settings.ts';
import { connectProvider, disconnectProvider, organizationConnections } from '../../providers.ts';
import { testProvider } from '../../provider-test.ts';
import { declareUpstream, disableUpstream, enableUpstream, removeUpstream, showUpstream } from '../../upstreams.ts';
import { isRefusal } from '../../refusal.ts';
import { operation } from '../operation.ts';

const providerParams = z.object({ provider: z.enum(providers) });
const credential = z.string().min(1).max(8_192);
const connectionSchema = z.object({
  provider: z.enum(providers), organization: z.string(), state: z.enum(['missing', 'connected', 'unreadable']),
}).openapi('ProviderConnection');
const listedConnectionSchema = connectionSchema.extend({ placeholder: z.boolean() }).openapi('ListedProviderConnection');
const upstreamSchema = z.object({
  organization: z.string(), url: z.string(), enabled: z.boolean(), hasCredential: z.boolean(), state: z.enum(['connected', 'unreadable']),
}).openapi('Upstream');

export const providerOperations = [
  operation({
    id: 'listProviders', method: 'get', path: '/providers', role: 'admin', tag: 'providers', summary: 'The state of each provider key',
    answer: z.object({ data: z.array(listedConnectionSchema), nextCursor: z.null() }),
    run: async ({ ground, actor }) => {
      const data = await organizationConnections(ground, actor.organization);
      return isRefusal(data) ? data : { data, nextCursor: null };
    },
  }),
  operation({
    id: 'connectProvider', method: 'put', path: '/providers/{provider}', role: 'admin', tag: 'providers', summary: 'Connect a provider key',
    params: providerParams, body: z.strictObject({ credential }), answer: connectionSchema,
    run: ({ ground, actor, params, body }) =>
      connectProvider(ground, { organization: actor.organization, provider: params.provider, credential: body.credential }),
  }),
  operation({
    id: 'disconnectProvider', method: 'delete', path: '/providers/{provider}', role: 'admin', tag: 'providers', summary: 'Destroy the provider key',
    params: providerParams, answer: connectionSchema,
    run: ({ ground, actor, params }) => disconnectProvider(ground, { organization: actor.organization, provider: params.provider }),
  }),
  operation({
    id: 'testProvider', method: 'post', path: '/providers/{provider}/test', role: 'admin', tag: 'providers',
    summary: 'Ask the provider whether it takes the key', params: providerParams,
    answer: z.object({
      provider: z.enum(providers), organization: z.string(), state: z.literal('connected'), accepted: z.boolean().nullable(), status: z.int(),
    }).openapi('ProviderTest'),
    run: ({ ground, parts, actor, params }) =>
      testProvider(ground, { organization: actor.organization, provider: params.provider, urls: parts.providerUrls }),
  }),
] as const;

export const upstreamOperations = [
  operation({
    id: 'showUpstream', method: 'get', path: '/upstream', role: 'admin', tag: 'upstream', summary: 'The declared upstream', answer: upstreamSchema,
    run: ({ ground, actor }) => showUpstream(ground, actor.organization),
  }),
  operation({
    id: 'declareUpstream', method: 'put', path: '/upstream', role: 'admin', tag: 'upstream',
    summary: 'Declare the upstream; it starts disabled',
    body: z.strictObject({ url: z.string().min(1).max(2_048), credential: z.string().max(8_192).default('') }), answer: upstreamSchema,
    run: ({ ground, parts, actor, body }) => declareUpstream(ground, { organization: actor.organization, ...body }, parts.upstreamRules),
  }),
  operation({
    id: 'enableUpstream', method: 'post', path: '/upstream/enable', role: 'admin', tag: 'upstream', summary: 'Let calls go there',
    answer: upstreamSchema, run: ({ ground, actor }) => enableUpstream(ground, actor.organization),
  }),
  operation({
    id: 'disableUpstream', method: 'post', path: '/upstream/disable', role: 'admin', tag: 'upstream', summary: 'Let no call go there',
    answer: upstreamSchema, run: ({ ground, actor }) => disableUpstream(ground, actor.organization),
  }),
  operation({
    id: 'removeUpstream', method: 'delete', path: '/upstream', role: 'admin', tag: 'upstream', summary: 'Destroy the declaration and its credential',
    answer: z.object({ organization: z.string(), removed: z.literal(true) }).openapi('RemovedUpstream'),
    run: ({ ground, actor }) => removeUpstream(ground, actor.organization),
  }),
] as const;
