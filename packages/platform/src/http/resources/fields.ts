/** Fields that several resources of the platform's HTTP have. */
import { z } from '@hono/zod-openapi';
import type { RangeFault, TimeRange } from '@metergate/core/time/time-range.ts';
import { monthForm, parseMonth, parseTime, timeForms } from '@metergate/core/time/time-word.ts';
import { projectCharactersMax } from '@metergate/core/call/labels.ts';
import { endpoints, wireNames } from '@metergate/core/wire/wire.ts';
import { sentDollars } from '../../use-cases/money-field.ts';
import { refuseInput, type AdministrationRefusal } from '../../use-cases/refusal.ts';

/** An id in a path. Anything not in this form is an unknown id. */
export const idParams = z.object({ id: z.string().min(1).max(200) });

export const instant = z.iso.datetime().openapi({ description: 'ISO 8601, UTC', example: '2026-09-23T14:00:00.000Z' });

/** US dollars. */
export const dollars = z.string().regex(/^-?\d+\.\d{9}$/).openapi({
  description: 'US dollars as decimal text with nine places. Use a decimal library: a double cannot hold every amount.', example: '12.500000000',
});

/** How many calls of a sum lack a part of their cost, by what they lack. */
export const lackingCalls = {
  unknownCalls: z.int().openapi({ description: 'No usage came, or a part of it. One with a part may also be in unpricedCalls or gapCalls.' }),
  unpricedCalls: z.int().openapi({ description: 'Usage came, but has no price' }),
  gapCalls: z.int().openapi({ description: 'Something that was reported is not in the cost' }),
};

/** The part of a period that is over, in full hours, and a part of the same length of the period before. */
export function comparisonOf<Figures extends z.ZodType>(figures: Figures, absent: string) {
  return z.object({
    until: instant.openapi({ description: 'The end of the period or, while it runs, of its last full hour' }), total: figures, before: figures,
  }).nullable().openapi({
    description: `The period up to that time, and the period before it up to as long before. Null: ${absent}, so that the two cannot be compared`,
  });
}

/** US dollars as they are sent; the use case reads them. */
export const dollarsSent = z.string().max(40).openapi(sentDollars);

/** A project as it is sent; the store reads it. */
export const projectSent = z.string().min(1).openapi({ maxLength: projectCharactersMax });

export const emailSent = z.string().min(3).max(254).openapi({ format: 'email', example: 'ada@example.com' });
export const emailShown = z.string().openapi({ description: 'In lower case', format: 'email', example: 'ada@example.com' });

/** A lifetime, counted from now. */
export const lifeSeconds = z.int().min(1).max(3_153_600_000).nullable().optional()
  .openapi({ description: 'How long it is valid, in seconds; null or absent: it does not expire.' });

export function lifetimeMs(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds * 1_000;
}

/** A time in any form that the command line takes. Resolved with `momentOf` or `rangeOf` once the moment of the request is known. */
export const timeQuery = z.string().max(64).transform((text, { addIssue }) => parseTime(text) ?? wrongForm(addIssue, timeForms))
  .openapi({ type: 'string', description: `A time: ${timeForms}.`, example: '2026-11-01' });

/** A month, `2026-11` → its first instant. */
export const monthQuery = z.string().max(64).transform((text, { addIssue }) => parseMonth(text) ?? wrongForm(addIssue, monthForm))
  .openapi({ type: 'string', pattern: '^\\d{4}-\\d{2}$',
    description: 'A whole month, in UTC; not together with since and until.', example: '2026-11' });

type AddIssue = (issue: { readonly code: 'custom'; readonly message: string; readonly params: object }) => void;

/** `form` ends the sentence about the field. */
export function wrongForm(addIssue: AddIssue, form: string): never {
  addIssue({ code: 'custom', message: form, params: { form } });
  return z.NEVER;
}

/** A name to look for: an id, a project, a label, a model. */
export const nameQuery = z.string().min(1).max(512).optional();

/** Filters with a fixed list of values: any other value is refused, never answered with an empty list. */
export const wireQuery = z.enum(wireNames).optional();
export const endpointQuery = z.enum(endpoints).optional();

/** The range of a query, or the refusal that says why it is invalid. */
export function checkedRange(range: TimeRange | RangeFault): TimeRange | AdministrationRefusal {
  if (range === 'month_and_range') return refuseInput('invalid_input', 'Give either month, or since and until, not both.');
  if (range === 'ends_before_it_begins') return refuseInput('invalid_input', 'The time until must not be before the time since.');
  return range;
}

/** The fields of a thing as they were when the caller read it: sent with a change, so that it undoes nobody else's. */
export function fieldsBefore<const Shape extends z.ZodRawShape>(shape: Shape) {
  const { known, document } = before(shape);
  return known.optional().openapi({ type: 'object', ...document,
    description: 'Fields as you read them. If one of them is different by now, nothing is changed: 409 `changed_meanwhile`.' });
}

/** The same of a thing that need not be there: null where there was none. */
export function fieldsBeforeOrNone<const Shape extends z.ZodRawShape>(shape: Shape) {
  const { known, document } = before(shape);
  return known.nullable().optional().openapi({ type: ['object', 'null'], ...document,
    description: 'Fields as you read them, null where there was none. If that is not so by now, nothing is changed: 409 `changed_meanwhile`.' });
}

function before<const Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape) as (keyof Shape & string)[];
  const document = { properties: Object.fromEntries(names.map((name) => [name, { description: 'As you read it' }])), additionalProperties: false };
  return { known: z.partialRecord(z.enum(names), z.unknown()), document };
}
