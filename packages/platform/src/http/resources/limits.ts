/** `GET /platform/v1/limits`: the plan's throughput figures and a link to the page that explains them. Rule 21. */
import { z } from '@hono/zod-openapi';
import { plans } from '@metergate/core/rate/plan.ts';
import { showLimits } from '../../use-cases/limits.ts';
import { limitsPath } from '../pages/limits-page.ts';
import { operation } from '../operation.ts';

export const limitsOperations = [
  operation({
    id: 'showLimits', method: 'get', path: '/limits', role: 'viewer', tag: 'limits', summary: "The plan's throughput limits",
    refuses: ['unknown_organization'],
    answer: z.object({
      requestsPerMin: z.int().nullable(), tokensPerMin: z.int().nullable(), tier: z.enum(plans), docs: z.url(), note: z.string().nullable(),
    }).openapi('Limits'),
    run: ({ context, actor, parts }) => showLimits(context, { organization: actor.organization, docs: parts.publicUrl + limitsPath }),
  }),
] as const;
