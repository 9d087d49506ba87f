/** Where calls go: provider keys and the declared upstream. Rules 18 and 19; rules: Interfaces. A credential goes in and never comes out. */
import { z } from '@hono/zod-openapi';
import { providers } from '@metergate/core/wire/wire.ts';
import { connectProvider, disconnectProvider, organizationConnections } from '../../use-cases/providers.ts';
import { testProvider } from '../../use-cases/provider-test.ts';
import { declareUpstream, disableUpstream, enableUpstream, removeUpstream, showUpstream } from '../../use-cases/upstreams.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { operation } from '../operation.ts';
import { pageOf, pageOfList, shortListQuery } from '../paging.ts';

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
    refuses: ['unknown_organization'],
    query: shortListQuery, answer: pageOf(listedConnectionSchema),
    run: async ({ context, actor: { organization }, query }) => {
      const found = await organizationConnections(context, organization);
      return isRefusal(found) ? found : pageOfList({ list: 'providers', organization }, found, { nameOf: ({ provider }) => provider, query });
    },
  }),
  operation({
    id: 'connectProvider', method: 'put', path: '/providers/{provider}', role: 'admin', tag: 'providers', summary: 'Connect a provider key',
    refuses: ['unknown_organization', 'invalid_credential'],
    params: providerParams, body: z.strictObject({ credential }), answer: connectionSchema,
    run: ({ context, actor, params, body }) =>
      connectProvider(context, { organization: actor.organization, provider: params.provider, credential: body.credential }),
  }),
  operation({
    id: 'disconnectProvider', method: 'delete', path: '/providers/{provider}', role: 'admin', tag: 'providers', summary: 'Destroy the provider key',
    refuses: ['unknown_organization', 'provider_not_connected'],
    params: providerParams, answer: connectionSchema,
    run: ({ context, actor, params }) => disconnectProvider(context, { organization: actor.organization, provider: params.provider }),
  }),
  operation({
    id: 'testProvider', method: 'post', path: '/providers/{provider}/test', role: 'admin', tag: 'providers',
    refuses: ['unknown_organization', 'provider_not_connected', 'provider_key_unreadable', 'sandbox_placeholder', 'provider_unreachable'],
    summary: 'Check that the provider accepts the key', params: providerParams,
    answer: z.object({
      provider: z.enum(providers), organization: z.string(), state: z.literal('connected'), accepted: z.boolean().nullable(), status: z.int(),
    }).openapi('ProviderTest'),
    run: ({ context, parts, actor, params }) =>
      testProvider(context, { organization: actor.organization, provider: params.provider, urls: parts.providerUrls }),
  }),
] as const;

export const upstreamOperations = [
  operation({
    id: 'showUpstream', method: 'get', path: '/upstream', role: 'admin', tag: 'upstream', summary: 'The declared upstream', answer: upstreamSchema,
    refuses: ['upstream_not_declared'],
    run: ({ context, actor }) => showUpstream(context, actor.organization),
  }),
  operation({
    id: 'declareUpstream', method: 'put', path: '/upstream', role: 'admin', tag: 'upstream',
    refuses: ['unknown_organization', 'invalid_upstream_url', 'invalid_credential'],
    summary: 'Declare the upstream; it starts disabled',
    body: z.strictObject({ url: z.string().min(1).max(2_048), credential: z.string().max(8_192).default('') }), answer: upstreamSchema,
    run: ({ context, parts, actor, body }) => declareUpstream(context, { organization: actor.organization, ...body }, parts.upstreamRules),
  }),
  operation({
    id: 'enableUpstream', method: 'post', path: '/upstream/enable', role: 'admin', tag: 'upstream', summary: 'Enable the upstream',
    refuses: ['upstream_not_declared'],
    answer: upstreamSchema, run: ({ context, actor }) => enableUpstream(context, actor.organization),
  }),
  operation({
    id: 'disableUpstream', method: 'post', path: '/upstream/disable', role: 'admin', tag: 'upstream', summary: 'Disable the upstream',
    refuses: ['upstream_not_declared'],
    answer: upstreamSchema, run: ({ context, actor }) => disableUpstream(context, actor.organization),
  }),
  operation({
    id: 'removeUpstream', method: 'delete', path: '/upstream', role: 'admin', tag: 'upstream', summary: 'Destroy the declaration and its credential',
    refuses: ['upstream_not_declared'],
    answer: z.object({ organization: z.string(), removed: z.literal(true) }).openapi('RemovedUpstream'),
    run: ({ context, actor }) => removeUpstream(context, actor.organization),
  }),
] as const;
