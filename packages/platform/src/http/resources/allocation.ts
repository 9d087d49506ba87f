/** How a month is allocated to teams: the rules, what they come to, and what others would. Rule 24b; docs/allocation.md. */
import { z } from '@hono/zod-openapi';
import { setAllocationRules, showAllocationRules } from '../../use-cases/allocation/allocation-rules.ts';
import { showAllocation, tryAllocation } from '../../use-cases/allocation/month-allocation.ts';
import { allocationCharactersMax, allocationFields, ruleFields, type AllocationDocument } from '../../use-cases/allocation/rules-fields.ts';
import { isRefusal, refuseInput } from '../../use-cases/refusal.ts';
import { operation, readingOperation, readingPost } from '../operation.ts';
import { dollars, fieldsBeforeOrNone, monthQuery } from './fields.ts';
import { digest, figuresFields, givenVersion, monthParams, monthShown, versionQuery } from './months.ts';
import { seesPeople } from './whose.ts';

const bodyBytesMax = 4 * allocationCharactersMax;

export const team = z.string().nullable().openapi({ description: 'Null: unallocated' });
export const charged = {
  ...figuresFields, splitCost: dollars.openapi({ description: 'Of the cost, parts of what several teams pay' }), correction: dollars, late: dollars,
  lateCorrection: dollars, adjustedCost: dollars.openapi({ description: 'Cost, correction, and both that came late, together' }), markup: dollars,
  charge: dollars.openapi({ description: 'Adjusted cost and markup together' }),
  converted: z.string().nullable().openapi({ description: 'The charge in the currency, with nine places; null: none is set' }),
};
export const currencyShown = z.object({ code: z.string(), rate: z.string(), date: z.iso.date() }).nullable()
  .openapi({ description: 'rate: how much of it a US dollar is, of that date' });
export const allocationHead = {
  month: monthShown, state: z.enum(['running', 'open', 'closed']).openapi({ description: 'running: it is not over' }),
  version: z.int().nullable().openapi({ description: 'The closing that is shown; null: as it stands now, without what came late' }),
  rulesHash: digest.nullable().openapi({ description: "SHA-256 of the rules' text; null: it was erased" }),
  markup: z.string().nullable().openapi({ description: 'Percent' }), currency: currencyShown,
};
const allocationSchema = z.object({
  ...allocationHead,
  teams: z.array(z.object({ team, account: z.string().nullable(), costCentre: z.string().nullable(), ...charged })),
  lines: z.array(z.object({
    team, share: z.enum(['own', 'split']).openapi({ description: 'split: its part of what several teams pay' }), project: z.string().nullable(),
    model: z.string().nullable(), ...figuresFields,
  })),
  totals: z.object(charged),
}).openapi('Allocation');

const trialSchema = z.object({
  month: monthShown, state: z.enum(['running', 'open', 'closed']), version: z.int().nullable(),
  teams: z.array(z.object({
    team, before: dollars.nullable().openapi({ description: 'By the rules in force, or those that the month was closed with' }),
    after: dollars.nullable(), moved: dollars.openapi({ description: 'After less before' }),
  })),
  moved: dollars.openapi({ description: 'All that would go to another team' }), adjustedCost: dollars, after: allocationSchema,
}).openapi('AllocationTrial');

const rulesSchema = z.object({
  allocation: z.object({
    ...allocationFields.shape, rules: z.array(z.object({
      ...ruleFields.shape,
      people: ruleFields.shape.people.nullable()
        .openapi({ description: 'Emails, for admins; null for others: the rule is for the keys of some people' }),
    })),
  }).nullable().openapi({ description: 'Null: there are none, and nothing is allocated' }),
  hash: digest.nullable().openapi({ description: 'SHA-256 of their text' }),
}).openapi('AllocationRules');

export const allocationReadings = [
  readingOperation({
    id: 'showAllocation', refuses: ['unknown_organization', 'unknown_month', 'no_allocation', 'too_many_parts'],
    path: '/months/{month}/allocation', role: 'viewer', tag: 'months',
    summary: 'What each team pays of a month, as it was closed or as it stands now', params: monthParams, query: versionQuery,
    answer: allocationSchema,
    run: ({ context, actor, params: { month }, query: { version } }) =>
      showAllocation(context, { organization: actor.organization, monthMs: month, ...givenVersion(version) }),
  }),
  readingPost({
    id: 'tryAllocation', refuses: ['unknown_organization', 'unknown_month', 'too_many_parts'], path: '/allocation/try', role: 'viewer', tag: 'months',
    summary: 'What other rules would have moved from team to team in a month; nothing is changed. Rules that name people are for admins to try',
    bodyBytesMax,
    body: z.object({ month: monthQuery, allocation: allocationFields }), answer: trialSchema,
    run: async ({ context, actor, body: { month, allocation } }) =>
      // What a rule for one person takes is what that person spent.
      (!seesPeople(actor) && allocation.rules.some(({ people }) => people !== undefined)
        ? refuseInput('forbidden', 'Only an admin can try rules that name people.')
        : tryAllocation(context, { organization: actor.organization, monthMs: month }, allocation)),
  }),
] as const;

export const allocationOperations = [
  ...allocationReadings,
  operation({
    id: 'showAllocationRules', method: 'get', path: '/allocation', role: 'viewer', tag: 'months', refuses: ['unknown_organization'],
    summary: 'The rules by which months are allocated', answer: rulesSchema,
    run: async ({ context, actor }) => {
      const shown = await showAllocationRules(context, actor.organization);
      return isRefusal(shown) || shown.allocation === null || seesPeople(actor) ? shown
        : { ...shown, allocation: { ...shown.allocation, rules: shown.allocation.rules.map(withoutPeople) } };
    },
  }),
  operation({
    id: 'setAllocation', method: 'put', path: '/allocation', role: 'admin', tag: 'months', secrets: ['was'],
    refuses: ['unknown_organization', 'changed_meanwhile'], summary: 'Replace the rules by which months are allocated; closed months keep theirs',
    body: allocationFields.extend({ was: fieldsBeforeOrNone({ hash: digest }) }), bodyBytesMax, answer: rulesSchema,
    run: ({ context, actor, sent: { was, ...rules } }) => setAllocationRules(context, actor.organization, rules, was),
  }),
  operation({
    id: 'removeAllocation', method: 'delete', path: '/allocation', role: 'admin', tag: 'months', refuses: ['unknown_organization'],
    summary: 'Remove the rules by which months are allocated', answer: rulesSchema,
    run: ({ context, actor }) => setAllocationRules(context, actor.organization, null),
  }),
] as const;

function withoutPeople(rule: AllocationDocument['rules'][number]) {
  return rule.people === undefined ? rule : { ...rule, people: null };
}
