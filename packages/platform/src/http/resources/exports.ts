/** The organization's calls as a file. Rule 25; rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { momentOf } from '@metergate/core/time/time-word.ts';
import { exportCalls, exportFormats, exportTypes } from '../../use-cases/exports.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { downloadOperation } from '../operation.ts';
import { timeQuery } from './fields.ts';

export const exportOperations = [
  downloadOperation({
    id: 'exportCalls', refuses: ['unknown_organization', 'invalid_price_file'], path: '/exports', role: 'viewer', tag: 'exports',
    summary: 'The calls that started in [from, to), oldest first, or their costs as a FOCUS table',
    query: z.object({
      format: z.enum(exportFormats).default('jsonl'), from: timeQuery, to: timeQuery,
      adjusted: z.enum(['true', 'false']).optional().openapi({ description: 'Calls that were priced again at the cost of their corrections' }),
    }),
    downloads: exportTypes,
    run: async ({ context, actor, query: { format, from, to, adjusted } }) => {
      const made = await exportCalls(context, {
        organization: actor.organization, format, fromMs: momentOf(from, context.nowMs), toMs: momentOf(to, context.nowMs),
        adjusted: adjusted === 'true',
      });
      return isRefusal(made) ? made : { download: made };
    },
  }),
] as const;
