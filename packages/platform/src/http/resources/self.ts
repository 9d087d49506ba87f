/** `/platform/v1/self`: a service key's view of itself, authenticated by the key alone. Rule 16a. */
import { z } from '@hono/zod-openapi';
import { labelsIn } from '@metergate/core/call/labels.ts';
import { plans } from '@metergate/core/rate/plan.ts';
import { calendarWindows } from '@metergate/core/spend/window.ts';
import { capStates } from '../../use-cases/caps.ts';
import { closeOwnRun, endOwnKey, keyPresented, showOwnRun, showSelf, type PresentedKey } from '../../use-cases/self.ts';
import type { UseCaseContext } from '../../use-cases/context.ts';
import { HttpRefusal } from '../envelope.ts';
import { openOperation } from '../operation.ts';
import { limitsPath } from '../pages/limits-page.ts';
import { dollars, instant, lackingCalls } from './fields.ts';
import { runSchema } from './runs.ts';

const ownCap = z.object({
  id: z.string(), scope: z.enum(['organization', 'key', 'person', 'label']), label: z.string().nullable(),
  window: z.enum(calendarWindows), limit: dollars, spent: dollars, ...lackingCalls,
  headroom: dollars, mode: z.enum(['refuse', 'pause']), state: z.enum(capStates), resetsAt: instant.nullable(),
}).openapi('OwnCap');

const selfSchema = z.object({
  id: z.string(), name: z.string().nullable(), prefix: z.string(), project: z.string().nullable(), organization: z.string(),
  expiresAt: instant.nullable(), maxRunBudget: dollars.nullable(),
  limits: z.object({ requestsPerMin: z.int().nullable(), tokensPerMin: z.int().nullable(), tier: z.enum(plans) }),
  caps: z.array(ownCap),
}).openapi('Self');

const ownRun = runSchema.extend({
  headroom: dollars.nullable().openapi({ description: 'What is left of its budget; null: it has none' }),
}).openapi('OwnRun');

const runParams = z.object({ run: z.string().min(1).max(128) });

export const selfOperations = [
  openOperation({
    id: 'showSelf', method: 'get', path: '/self', role: null, serviceKey: true, tag: 'self',
    summary: 'The limits on the calls of this key, and what is left of them', refuses: ['unknown_key', 'unknown_organization'],
    query: z.object({
      label: z.string().max(4_200).optional().openapi({ description: 'Labels with commas between them: their caps are shown too' }),
    }),
    answer: selfSchema,
    run: async ({ context, parts, headers, query: { label = '' } }) =>
      showSelf(context, await presentedKey(context, headers), { docs: parts.publicUrl + limitsPath, labels: labelsIn(label) }),
  }),
  openOperation({
    id: 'showOwnRun', method: 'get', path: '/self/runs/{run}', role: null, serviceKey: true, tag: 'self',
    summary: 'A run that this key started', refuses: ['unknown_run'], params: runParams, answer: ownRun,
    run: async ({ context, params, headers }) => showOwnRun(context, await presentedKey(context, headers), params.run),
  }),
  openOperation({
    id: 'closeOwnRun', method: 'post', path: '/self/runs/{run}/close', role: null, serviceKey: true, tag: 'self',
    summary: 'End a run that this key started, for good', refuses: ['unknown_run'], params: runParams, answer: ownRun,
    run: async ({ context, params, headers }) => {
      const key = await presentedKey(context, headers);
      const store = context.store.acting({ actor: { kind: 'token', id: key.id, name: null }, detail: { run: params.run } });
      return closeOwnRun({ ...context, store }, key, params.run);
    },
  }),
  openOperation({
    id: 'endOwnKey', method: 'delete', path: '/self', role: null, serviceKey: true, tag: 'self',
    summary: 'Revoke this key for good, if it is a person\'s own', refuses: ['unknown_key', 'forbidden'],
    answer: z.object({ id: z.string(), revokedAt: instant }).openapi('EndedKey'),
    run: async ({ context, headers }) => {
      const key = await presentedKey(context, headers);
      const store = context.store.acting({ actor: { kind: 'token', id: key.id, name: null }, detail: {} });
      return endOwnKey({ ...context, store }, key);
    },
  }),
] as const;

/** `Authorization: Bearer`, else `x-api-key`, as the gateway takes it. @throws HttpRefusal 401 */
async function presentedKey(context: UseCaseContext, headers: Headers): Promise<PresentedKey> {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const key = await keyPresented(context, bearer ?? headers.get('x-api-key') ?? '');
  if (key !== null) return key;
  throw new HttpRefusal(401, 'unauthorized', 'Send a service key as Authorization: Bearer.', { 'www-authenticate': 'Bearer' });
}
