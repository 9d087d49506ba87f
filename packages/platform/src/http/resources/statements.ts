/** A month's statement as a page that prints. Rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { monthOf } from '@metergate/core/time/utc-month.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { makeStatement } from '../../use-cases/statement.ts';
import { downloadOperation } from '../operation.ts';
import { monthQuery, nameQuery } from './fields.ts';

const pageType = 'text/html; charset=utf-8';

export const statementOperations = [
  downloadOperation({
    id: 'showStatement', refuses: ['unknown_organization', 'invalid_price_file'], path: '/statements', role: 'viewer', tag: 'statements',
    summary: 'The usage of a month as one printable HTML page; last month by default',
    query: z.object({ month: monthQuery.optional(), project: nameQuery }),
    downloads: [pageType],
    run: async ({ context, actor, query: { month, project } }) => {
      const monthMs = month ?? monthOf(monthOf(context.nowMs) - 1);
      const made = await makeStatement(context, { organization: actor.organization, monthMs, ...(project === undefined ? {} : { project }) });
      if (isRefusal(made)) return made;
      const bytes = Buffer.from(made.html, 'utf8');
      return { download: { contentType: pageType, fileName: made.fileName, pieces: oneOf(bytes) } };
    },
  }),
] as const;

async function* oneOf(bytes: Uint8Array) {
  yield { bytes, calls: 0, cost: 0n, place: null };
}
