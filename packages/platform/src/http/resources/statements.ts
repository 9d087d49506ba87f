/** A month's statement as a page that prints, what each team pays of it, and that as a ledger. Rules: Interfaces; rule 24b. */
import { z } from '@hono/zod-openapi';
import { monthOf } from '@metergate/core/time/utc-month.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { makeLedger } from '../../use-cases/statements/ledger.ts';
import { makeStatement, statementRows } from '../../use-cases/statements/month-statement.ts';
import { makeTeamPage } from '../../use-cases/statements/team-page.ts';
import { showTeamStatement } from '../../use-cases/statements/team-statement.ts';
import { downloadOperation, readingOperation } from '../operation.ts';
import { pageOf, pageOfList, pageQuery } from '../paging.ts';
import { allocationHead, charged, currencyShown, team } from './allocation.ts';
import { dollars, instant, monthQuery, nameQuery } from './fields.ts';
import { figuresFields, givenVersion, monthParams, monthShown, versionQuery } from './months.ts';
import { usageSchema } from './usage.ts';

const pageType = 'text/html; charset=utf-8';
const csvType = 'text/csv; charset=utf-8; header=present';

const chargeBefore = z.object({ adjustedCost: dollars, charge: dollars, converted: z.string().nullable() });
const parts = z.array(z.object({ name: z.string().nullable().openapi({ description: 'Null: calls without one' }), ...figuresFields }))
  .openapi({ description: 'Costliest first' });
const teamStatementSchema = z.object({
  organization: z.object({ id: z.string(), name: z.string() }), ...allocationHead,
  recordsGoneBefore: instant.nullable().openapi({ description: 'Set if records of the month were removed for their age: it is incomplete' }),
  before: z.object({ month: monthShown, state: allocationHead.state, version: allocationHead.version, currency: currencyShown, totals: chargeBefore })
    .nullable().openapi({
      description: 'The month before, as it was closed or as it stands; null: it was closed without rules, or is open and this one is closed' }),
  teams: z.array(z.object({
    team, account: z.string().nullable(), costCentre: z.string().nullable(), ...charged,
    before: chargeBefore.nullable().openapi({ description: 'What the team paid in the month before; null: there is none to compare with' }),
    projects: parts, models: parts,
  })),
  totals: z.object(charged).openapi({ description: 'Of all teams' }),
}).openapi('TeamStatement');

const teamQuery = nameQuery.openapi({ description: 'Only this team' });
const flag = (description: string) => z.enum(['true', 'false']).optional().openapi({ description });

const rowsPage = pageOf(usageSchema).extend({
  version: z.int().nullable().openapi({ description: 'The closing whose figures the rows are; null: the month is not closed' }),
});

export const statementOperations = [
  downloadOperation({
    id: 'showStatement', refuses: ['unknown_organization', 'invalid_price_file', 'unknown_month', 'no_allocation', 'too_many_parts', 'unknown_team'],
    path: '/statements', role: 'viewer', tag: 'statements',
    summary: 'The usage of a month, or what each team pays of it, as one printable HTML page; last month by default',
    query: z.object({
      month: monthQuery.optional(), project: nameQuery,
      by: z.enum(['team']).optional().openapi({ description: 'What each team pays; not together with project' }), team: teamQuery,
    }).refine(({ by, team: named, project }) => (by === undefined && named === undefined) || project === undefined,
      { error: 'A page of teams is of all projects.' }),
    downloads: [pageType],
    run: async ({ context, actor: { organization }, query: { month, project, by, team: named } }) => {
      const asked = { organization, monthMs: month ?? monthOf(monthOf(context.nowMs) - 1) };
      const made = by === undefined && named === undefined ? await makeStatement(context, { ...asked, ...(project === undefined ? {} : { project }) })
        : await makeTeamPage(context, { ...asked, ...(named === undefined ? {} : { team: named }) });
      return isRefusal(made) ? made : fileOf(made.html, made.fileName, pageType);
    },
  }),
  readingOperation({
    id: 'showStatementRows', refuses: ['unknown_organization'], path: '/statements/rows', role: 'viewer', tag: 'statements',
    summary: 'What the statement of a month lists by project, model or key, costliest first: a closed month as it was closed',
    query: pageQuery.extend({ month: monthQuery, by: z.enum(['project', 'model', 'key']), project: nameQuery }), answer: rowsPage,
    run: async ({ context, actor: { organization }, query: { month, by, project, ...query } }) => {
      const found = await statementRows(context, { organization, monthMs: month, by, ...(project === undefined ? {} : { project }) });
      if (isRefusal(found)) return found;
      const page = pageOfList({ list: `statement by ${by}`, organization }, found.rows, { nameOf: (row) => row[by] ?? '', query });
      return isRefusal(page) ? page : { ...page, version: found.version };
    },
  }),
  readingOperation({
    id: 'showTeamStatement', refuses: ['unknown_organization', 'unknown_month', 'no_allocation', 'too_many_parts', 'unknown_team'],
    path: '/months/{month}/statement', role: 'viewer', tag: 'statements',
    summary: 'What each team pays of a month, for which projects and models, with the month before beside it', params: monthParams,
    query: versionQuery.extend({ team: teamQuery }), answer: teamStatementSchema,
    run: ({ context, actor, params: { month }, query: { version, team: named } }) => showTeamStatement(context, {
      organization: actor.organization, monthMs: month, ...givenVersion(version), ...(named === undefined ? {} : { team: named }),
    }),
  }),
  downloadOperation({
    id: 'exportLedger', refuses: ['unknown_organization', 'unknown_month', 'no_allocation', 'too_many_parts'],
    path: '/months/{month}/ledger', role: 'viewer', tag: 'statements',
    summary: 'What each team pays of a month as CSV for accounting: account, cost centre and amounts, a line for each team',
    params: monthParams, query: versionQuery.extend({
      bom: flag('Begin with a byte order mark, by which spreadsheets know UTF-8'),
      decimalComma: flag('Write amounts with a comma, and separate by semicolons'),
    }), downloads: [csvType],
    run: async ({ context, actor, params: { month }, query: { version, bom, decimalComma } }) => {
      const made = await makeLedger(context, { organization: actor.organization, monthMs: month, ...givenVersion(version) },
        { byteOrderMark: bom === 'true', decimalComma: decimalComma === 'true' });
      return isRefusal(made) ? made : fileOf(made.text, made.fileName, csvType);
    },
  }),
] as const;

function fileOf(text: string, fileName: string, contentType: string) {
  return { download: { contentType, fileName, pieces: oneOf(Buffer.from(text, 'utf8')) } };
}

async function* oneOf(bytes: Uint8Array) {
  yield { bytes, calls: 0, cost: 0n, place: null };
}
