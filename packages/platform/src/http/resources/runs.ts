/** Runs of the organization and the grants that let one have more. Design 3, rows 13 and 15; design 5. */
import { z } from '@hono/zod-openapi';
import { isRunId } from '@metergate/core/run/run-id.ts';
import { clampReasons, runStates } from '@metergate/core/run/run.ts';
import { closeRun, listRuns, mintGrant, showRun } from '../../use-cases/runs.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { operation } from '../operation.ts';
import { decodeCursor, encodeCursor, invalidCursor, limitOf, pageOf, pageQuery } from '../paging.ts';
import { dollars, idParams, instant } from './fields.ts';

const runSchema = z.object({
  id: z.string(), state: z.enum(runStates), budget: dollars.nullable(), effective: dollars.nullable(), clampReason: z.enum(clampReasons).nullable(),
  spent: dollars, unknownCalls: z.int(), gapCalls: z.int(), startedAt: instant, expiresAt: instant.nullable(), endedAt: instant.nullable(),
}).openapi('Run');

export const runOperations = [
  operation({
    id: 'listRuns', method: 'get', path: '/runs', role: 'viewer', tag: 'runs', summary: 'Runs, newest first',
    query: pageQuery, answer: pageOf(runSchema),
    run: async ({ context, actor, query }) => {
      const after = query.cursor === undefined ? undefined : placeIn(query.cursor);
      if (after === null) return invalidCursor();
      const limit = limitOf(query);
      const runs = await listRuns(context, { organization: actor.organization, limit: limit + 1, ...(after === undefined ? {} : { after }) });
      if (isRefusal(runs)) return runs;
      const data = runs.slice(0, limit);
      const last = data.at(-1);
      const more = runs.length > limit && last !== undefined;
      return { data, nextCursor: more ? encodeCursor(`${Date.parse(last.startedAt)} ${last.id}`) : null };
    },
  }),
  operation({
    id: 'showRun', method: 'get', path: '/runs/{id}', role: 'viewer', tag: 'runs', summary: 'One run', params: idParams, answer: runSchema,
    run: ({ context, actor, params }) => showRun(context, { organization: actor.organization, run: params.id }),
  }),
  operation({
    id: 'closeRun', method: 'post', path: '/runs/{id}/close', role: 'member', tag: 'runs', summary: 'End a run for good',
    params: idParams, answer: runSchema,
    run: ({ context, actor, params }) => closeRun(context, { organization: actor.organization, run: params.id }),
  }),
  operation({
    id: 'mintGrant', method: 'post', path: '/run-grants', role: 'admin', tag: 'runs', status: 201,
    summary: 'Sign a grant: one run may have a budget up to this maximum',
    body: z.strictObject({ run: z.string().min(1).max(128), max: z.string().min(1).max(40), expiresInSeconds: z.int().min(1).max(3_153_600_000) }),
    answer: z.object({ grant: z.string() }).openapi('RunGrant'),
    run: ({ context, actor, body }) => mintGrant(context, {
      organization: actor.organization, run: body.run, max: body.max, lifetimeMs: body.expiresInSeconds * 1_000,
    }),
  }),
] as const;

/** A place within the asker's own list alone: it holds nothing that was not in the page before. */
function placeIn(cursor: string): { readonly startedAtMs: number; readonly id: string } | null {
  const [, startedAtMs, id = ''] = /^(\d{1,15}) (.+)$/.exec(decodeCursor(cursor)) ?? [];
  return isRunId(id) ? { startedAtMs: Number(startedAtMs), id } : null;
}
