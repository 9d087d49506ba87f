/** Where calls go: provider keys and the declared upstream. Rules 18 and 19; rules: Interfaces. A credential goes in and never comes out. */
import { z } from '@hono/zod-openapi';
import { upstreamDialects } from '@metergate/core/usage/dialect-names.ts';
import { upstreamAuths } from '@metergate/core/wire/upstream-auth.ts';
import { providers } from '@metergate/core/wire/wire.ts';
import { connectProvider, disconnectProvider, organizationConnections } from '../../use-cases/providers.ts';
import { testProvider } from '../../use-cases/provider-test.ts';
import { declareUpstream, disableUpstream, enableUpstream, removeUpstream, showUpstream } from '../../use-cases/upstreams.ts';
import {
  declareNamedUpstream, disableNamedUpstream, enableNamedUpstream, listNamedUpstreams, removeNamedUpstream, showNamedUpstream,
} from '../../use-cases/named-upstreams.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { operation } from '../operation.ts';
import { fieldsBeforeOrNone } from './fields.ts';
import { pageOf, pageOfList, shortListQuery } from '../paging.ts';

const providerParams = z.object({ provider: z.enum(providers) });
const credential = z.string().min(1).max(8_192);
const credentialOrKept = z.string().max(8_192).nullable().optional().openapi({
  description: 'Absent or empty: none is needed. Null: the stored one stays, if there is one; for another address or auth it must be given again.' });
const version = z.int().openapi({ description: 'A new one each time it is set, even to the same value' });
/** A declaration is replaced as a whole: what a change is made from is known by its version. */
const was = fieldsBeforeOrNone({ version });
const sameVersion = z.object({
  version: z.coerce.number().pipe(z.int()).optional()
    .openapi({ description: 'Enables only this declaration: 409 `changed_meanwhile` if it was declared again since' }),
});
const connectionSchema = z.object({
  provider: z.enum(providers), organization: z.string(), state: z.enum(['missing', 'connected', 'unreadable']),
}).openapi('ProviderConnection');
const listedConnectionSchema = connectionSchema.extend({ version: version.nullable(), placeholder: z.boolean() }).openapi('ListedProviderConnection');
const upstreamSchema = z.object({
  organization: z.string(), version, url: z.string(), enabled: z.boolean(), hasCredential: z.boolean(), state: z.enum(['connected', 'unreadable']),
}).openapi('Upstream');

const namedUpstreamParams = z.object({ name: z.string().min(1).max(64) });
const namedUpstreamSchema = z.object({
  organization: z.string(), name: z.string(), version, url: z.string(), auth: z.enum(upstreamAuths), dialect: z.enum(upstreamDialects).nullable(),
  provider: z.string().nullable(), pricedAs: z.string().nullable(), enabled: z.boolean(), hasCredential: z.boolean(),
  state: z.enum(['connected', 'unreadable']),
}).openapi('NamedUpstream');

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
    refuses: ['unknown_organization', 'invalid_credential', 'changed_meanwhile'],
    params: providerParams, secrets: ['was'], body: z.strictObject({ credential, was }), answer: connectionSchema,
    run: ({ context, actor, params, body }) =>
      connectProvider(context, { organization: actor.organization, provider: params.provider, ...body }),
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
    refuses: ['unknown_organization', 'invalid_upstream_url', 'invalid_credential', 'changed_meanwhile'],
    summary: 'Declare the upstream; it starts disabled', secrets: ['was'],
    body: z.strictObject({ url: z.string().min(1).max(2_048), credential: credentialOrKept, was }), answer: upstreamSchema,
    run: ({ context, parts, actor, body }) => declareUpstream(context, { organization: actor.organization, ...body }, parts.upstreamRules),
  }),
  operation({
    id: 'enableUpstream', method: 'post', path: '/upstream/enable', role: 'admin', tag: 'upstream', summary: 'Enable the upstream',
    refuses: ['upstream_not_declared', 'changed_meanwhile'], query: sameVersion,
    answer: upstreamSchema, run: ({ context, actor, query }) => enableUpstream(context, actor.organization, query.version),
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

export const namedUpstreamOperations = [
  operation({
    id: 'listNamedUpstreams', method: 'get', path: '/upstreams', role: 'admin', tag: 'upstream', summary: 'The upstreams declared by name',
    refuses: ['unknown_organization'],
    query: shortListQuery, answer: pageOf(namedUpstreamSchema),
    run: async ({ context, actor: { organization }, query }) => {
      const found = await listNamedUpstreams(context, organization);
      return isRefusal(found) ? found : pageOfList({ list: 'upstreams', organization }, found, { nameOf: ({ name }) => name, query });
    },
  }),
  operation({
    id: 'showNamedUpstream', method: 'get', path: '/upstreams/{name}', role: 'admin', tag: 'upstream', summary: 'One upstream, by its name',
    refuses: ['upstream_not_declared'],
    params: namedUpstreamParams, answer: namedUpstreamSchema,
    run: ({ context, actor, params }) => showNamedUpstream(context, { organization: actor.organization, name: params.name }),
  }),
  operation({
    id: 'declareNamedUpstream', method: 'put', path: '/upstreams/{name}', role: 'admin', tag: 'upstream',
    refuses: ['unknown_organization', 'invalid_upstream_url', 'invalid_credential', 'invalid_setting', 'changed_meanwhile'],
    summary: 'Declare an upstream by name; it starts disabled', secrets: ['was'],
    params: namedUpstreamParams,
    body: z.strictObject({
      url: z.string().min(1).max(2_048), credential: credentialOrKept, auth: z.enum(upstreamAuths).default('bearer'),
      dialect: z.enum(upstreamDialects).nullable().default(null), provider: z.string().min(1).max(64).nullable().default(null),
      was,
    }),
    answer: namedUpstreamSchema,
    run: ({ context, parts, actor, params, body }) =>
      declareNamedUpstream(context, { organization: actor.organization, name: params.name, ...body }, parts.upstreamRules),
  }),
  operation({
    id: 'enableNamedUpstream', method: 'post', path: '/upstreams/{name}/enable', role: 'admin', tag: 'upstream', summary: 'Enable an upstream',
    refuses: ['upstream_not_declared', 'credential_missing', 'changed_meanwhile'], params: namedUpstreamParams, query: sameVersion,
    answer: namedUpstreamSchema,
    run: ({ context, actor, params, query }) =>
      enableNamedUpstream(context, { organization: actor.organization, name: params.name }, query.version),
  }),
  operation({
    id: 'disableNamedUpstream', method: 'post', path: '/upstreams/{name}/disable', role: 'admin', tag: 'upstream', summary: 'Disable an upstream',
    refuses: ['upstream_not_declared'], params: namedUpstreamParams, answer: namedUpstreamSchema,
    run: ({ context, actor, params }) => disableNamedUpstream(context, { organization: actor.organization, name: params.name }),
  }),
  operation({
    id: 'removeNamedUpstream', method: 'delete', path: '/upstreams/{name}', role: 'admin', tag: 'upstream',
    summary: 'Destroy a declaration and its credential',
    refuses: ['upstream_not_declared'], params: namedUpstreamParams,
    answer: z.object({ organization: z.string(), name: z.string(), removed: z.literal(true) }).openapi('RemovedNamedUpstream'),
    run: ({ context, actor, params }) => removeNamedUpstream(context, { organization: actor.organization, name: params.name }),
  }),
] as const;
