/**
 * The organization itself: shown, set, erased; and those that the caller belongs to. Rules 7, 8, 12 and 23; rules: Interfaces.
 * Plan and agreed figures are the operator's, at the command line: nobody raises the limits of their own organization.
 */
import { z } from '@hono/zod-openapi';
import { plans } from '@metergate/core/rate/plan.ts';
import { wrongBaseUrlRules } from '@metergate/core/call/wrong-base-url.ts';
import { calendarWindows } from '@metergate/core/spend/window.ts';
import { unmeteredRules } from '@metergate/core/usage/unmetered.ts';
import { eraseOrganization } from '../../use-cases/erasure.ts';
import { setOrganization, settingsFields, showOrganization, type ShownOrganization } from '../../use-cases/organizations.ts';
import { isRefusal, refuseInput } from '../../use-cases/refusal.ts';
import { operation } from '../operation.ts';
import type { Actor } from '../../use-cases/actor.ts';
import { pageOf, pageQuery, storedPage } from '../paging.ts';
import { dollars, fieldsBefore, idParams, instant } from './fields.ts';

export const ownKeyTerms = z.object({
  keysMax: z.int(), models: z.array(z.string()).readonly().nullable(), lifetimeSecondsMax: z.int().nullable(),
  cap: z.object({ window: z.enum(calendarWindows), limit: dollars }).nullable(),
  personCap: z.object({ window: z.enum(calendarWindows), limit: dollars }).nullable()
    .openapi({ description: 'Of each member, over all keys of theirs, ended ones too' }),
}).openapi('OwnKeyTerms');

const organizationFields = {
  id: z.string(), name: z.string(), plan: z.enum(plans), drainSeconds: z.int().nullable(),
  fallbackPrice: z.object({ input: dollars, output: dollars }).nullable(), enforceKeyCaps: z.boolean(),
  maxRunBudget: dollars.nullable(), runCeiling: dollars.nullable(), runExposure: dollars.nullable(),
  unmetered: z.object({
    deferred: z.enum(unmeteredRules), unreported: z.enum(unmeteredRules), handedOut: z.enum(unmeteredRules), hidden: z.enum(unmeteredRules),
  }).openapi({ description: 'What becomes of work whose cost is not known at its end' }),
  wrongBaseUrl: z.enum(wrongBaseUrlRules).openapi({
    description: 'What becomes of calls that were meant for the second provider and would go to the first' }),
  models: z.array(z.string()).readonly().nullable().openapi({ description: 'Models that may be asked for; null: all' }),
  follow: z.boolean().openapi({ description: 'Whether the platform asks the providers by itself what became of work that is billed later' }),
  ownKeys: ownKeyTerms.nullable().openapi({ description: 'What members may do about keys of their own; null: what their role allows' }),
  requestsPerMinute: z.int().nullable(), tokensPerMinute: z.int().nullable(),
  keepRecordsDays: z.int().nullable().openapi({ description: 'Records, tap events and sums older than this many days are removed; null: none are' }),
  recordsGoneBefore: instant.nullable().openapi({
    description: 'Some or all records of calls that started before this time have been removed; null: none have' }),
  createdAt: instant,
};
const organizationSchema = z.object(organizationFields).openapi('Organization');

const ownSettings = settingsFields.omit({ plan: true, requestsPerMinute: true, tokensPerMinute: true })
  .extend({ was: fieldsBefore(organizationFields) });

export const organizationOperations = [
  operation({
    id: 'listOrganizations', method: 'get', path: '/organizations', role: 'viewer', tag: 'organizations',
    refuses: ['unknown_organization'],
    summary: 'The organizations that the caller belongs to', query: pageQuery, answer: pageOf(organizationSchema),
    run: async ({ context, actor, query }) => {
      const page = await storedPage({ list: 'organizations', organization: actor.organization }, query, {
        read: async (wanted) => actor.kind === 'token' ? [{ organization: actor.organization, createdAtMs: 0 }]
          : context.store.members.of(actor.id, wanted),
        placeOf: ({ organization, createdAtMs }) => ({ at: createdAtMs, id: organization }),
      });
      if (isRefusal(page)) return page;
      const shown: ShownOrganization[] = [];
      for (const { organization: id } of page.data) {
        const organization = await showOrganization(context, id);
        if (!isRefusal(organization)) shown.push(organization);
      }
      return { data: shown, nextCursor: page.nextCursor };
    },
  }),
  operation({
    id: 'showOrganization', method: 'get', path: '/organizations/{id}', role: 'viewer', tag: 'organizations', summary: 'The organization',
    refuses: ['unknown_organization'],
    params: idParams, answer: organizationSchema,
    run: async ({ context, actor, params }) => ownOnly(actor, params.id) ?? showOrganization(context, actor.organization),
  }),
  operation({
    id: 'setOrganization', method: 'patch', path: '/organizations/{id}', role: 'admin', tag: 'organizations',
    refuses: ['unknown_organization', 'invalid_setting', 'changed_meanwhile'], secrets: ['was'],
    summary: 'Change settings; omitted fields stay as they are, null restores the default',
    params: idParams, body: ownSettings, answer: organizationSchema,
    run: async ({ context, actor, params, sent }) => ownOnly(actor, params.id) ?? setOrganization(context, actor.organization, sent),
  }),
  operation({
    id: 'eraseOrganization', method: 'delete', path: '/organizations/{id}', role: 'owner', tag: 'organizations',
    refuses: ['unknown_organization'],
    summary: 'Erase the organization for good: keys, sessions and secrets are destroyed, records keep only their figures',
    params: idParams, answer: z.object({ id: z.string(), erased: z.literal(true) }).openapi('ErasedOrganization'),
    run: async ({ context, actor, params }) => ownOnly(actor, params.id) ?? eraseOrganization(context, actor.organization),
  }),
] as const;

function ownOnly({ organization }: Actor, id: string) {
  return id === organization ? null : refuseInput('unknown_organization', 'There is no such organization.');
}
