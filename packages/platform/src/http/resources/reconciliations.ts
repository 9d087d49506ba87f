/** Compares a provider's bill with the records, and stores the differences as corrections. Rules: Interfaces; docs/reconcile.md. */
import { z } from '@hono/zod-openapi';
import { countKinds } from '@metergate/core/books/reconcile/bill.ts';
import { billItems } from '@metergate/core/books/reconcile/bill-items.ts';
import { verdicts, reasons } from '@metergate/core/books/reconcile/compare.ts';
import { billSellers } from '@metergate/core/books/reconcile/read-bill.ts';
import { rangeOf } from '@metergate/core/time/time-range.ts';
import { providers } from '@metergate/core/wire/wire.ts';
import { JsonText } from '../../reports/messages.ts';
import type { Actor } from '../../use-cases/actor.ts';
import {
  correctionsOfBill, listCorrections, recordCorrections, removeCorrection, type BillCorrections,
} from '../../use-cases/corrections/corrections.ts';
import { reconcile, type ReconcileInput } from '../../use-cases/reconcile/reconcile.ts';
import { isRefusal, type AdministrationRefusal } from '../../use-cases/refusal.ts';
import { operation, readingPost } from '../operation.ts';
import { pageOf, pageOfShortList, shortListQuery } from '../paging.ts';
import { checkedRange, dollars, idParams, instant, timeQuery } from './fields.ts';

/** More than a month of a busy organization's export by the minute. */
export const billBytesMax = 16 * 1_024 * 1_024;

const billBody = z.object({
  provider: z.enum(billSellers, { error: `The provider must be one of ${billSellers.join(', ')}.` })
    .openapi({ description: 'Whose export it is; azure, google, bedrock and openrouter are those of the declared upstream' }),
  upstream: z.string().max(32).optional().openapi({
    description: 'Which of the upstreams that are declared by name; the one without a name if it is left out' }),
  file: z.string({ error: "The file must be the text of one of the provider's exports." })
    .openapi({ description: "One of the provider's usage or cost exports as it is, JSON or CSV, at most 16 MiB" }),
});

const count = z.int().nullable();
const side = z.object({ calls: count, inputTokens: count, outputTokens: count, cost: dollars.nullable() }).openapi('BillSide');
const day = z.iso.date().openapi({ example: '2026-11-01' });
const reconciliationSchema = z.object({
  lines: z.array(z.object({
    day, model: z.string().nullable(),
    item: z.enum(billItems).nullable().openapi({ description: 'What is charged for, if it is no model' }),
    billName: z.string().nullable().openapi({ description: 'As the file names the model or item; null if it does not, or in several ways' }),
    requestId: z.string().nullable(), ours: side, theirs: side, difference: side,
    kinds: z.array(z.object({ kind: z.enum(countKinds), ours: z.number().nullable(), theirs: z.number().nullable(), difference: z.number() }))
      .openapi({ description: 'Every kind of count that is compared, ours minus theirs' }),
    verdict: z.enum(verdicts), dayVerdict: z.enum(verdicts).openapi({ description: 'Of the sums of its day, over all models and items' }),
    reasons: z.array(z.enum(reasons)),
  })),
  totals: z.object({ ours: side, theirs: side, difference: side }),
  equal: z.boolean().openapi({ description: 'Every line is equal' }),
  recordsGoneBefore: instant.nullable().openapi({
    description: 'Set if the file begins before this time: some or all earlier records have been removed' }),
  otherCurrency: z.string().nullable().openapi({
    description: "The currency of the file's amounts, which are then not compared; null for US dollars" }),
}).openapi('Reconciliation');

const correctionSchema = z.object({
  id: z.string(), provider: z.enum(providers), day, model: z.string().nullable().openapi({ description: 'Null: the bill names none' }),
  ours: dollars, theirs: dollars, correction: dollars.openapi({ description: 'Theirs minus ours' }),
  bill: z.string().openapi({ description: 'SHA-256 of the file' }), recordedAt: instant,
}).openapi('Correction');

const recordedSchema = z.object({
  provider: z.enum(providers), days: z.object({ first: day, last: day }), corrections: z.array(correctionSchema), total: dollars,
  openDays: z.array(day).openapi({ description: 'Days of the file that are not over yet; nothing is recorded for them' }),
}).openapi('RecordedCorrections');

const billOf = ({ organization }: Actor, { provider, file }: { readonly provider: string; readonly file: string }): ReconcileInput =>
  ({ organization, provider, text: file });

/** The part of `recordCorrections` that takes the bill apart and changes nothing. It has no address: it runs on the thread of bills. */
export const correctionsOperation = readingPost({
  id: 'correctionsOfBill', path: '/corrections', role: 'admin', tag: 'reconciliations', summary: 'What a bill corrects', readsBill: true,
  body: billBody, bodyBytesMax: billBytesMax, answer: z.unknown(),
  run: ({ context, actor, body }) => correctionsOfBill(context, billOf(actor, body)),
});

export const reconciliationOperations = [
  readingPost({
    id: 'reconcile', path: '/reconciliations', role: 'viewer', tag: 'reconciliations', refuses: ['unknown_organization', 'invalid_bill'],
    summary: "Compare a provider's usage or cost export with the records, line by line; nothing is changed",
    body: billBody, bodyBytesMax: billBytesMax, answer: reconciliationSchema, readsBill: true,
    run: ({ context, actor, body: { provider, file, upstream } }) =>
      reconcile(context, { organization: actor.organization, provider, text: file, upstream }),
  }),
  operation({
    id: 'recordCorrections', method: 'post', path: '/corrections', role: 'admin', tag: 'reconciliations', status: 201,
    summary: 'Store the differences from a cost export as corrections, replacing those of the same provider and days; no record is changed',
    refuses: ['unknown_organization', 'invalid_bill'], body: billBody, bodyBytesMax: billBytesMax, answer: recordedSchema,
    // The audit row names the provider; the file itself may be megabytes.
    secrets: ['file'],
    run: ({ context, parts, actor, body }) => {
      const { bills } = parts;
      return recordCorrections(context, billOf(actor, body), bills === null ? undefined : async (_, { provider, text: file }) => {
        const found = await bills.run(correctionsOperation.id, { actor, params: {}, query: {}, body: { provider, file }, nowMs: context.nowMs });
        return found instanceof JsonText ? JSON.parse(found.json) as BillCorrections : found as AdministrationRefusal;
      });
    },
  }),
  operation({
    id: 'listCorrections', method: 'get', path: '/corrections', role: 'viewer', tag: 'reconciliations', refuses: ['unknown_organization'],
    summary: 'Corrections, by their days',
    query: shortListQuery.extend({ since: timeQuery.optional(), until: timeQuery.optional() }), answer: pageOf(correctionSchema),
    run: async ({ context, actor, query }) => {
      const range = checkedRange(rangeOf(query, context.nowMs));
      if (isRefusal(range)) return range;
      const { organization } = actor;
      return pageOfShortList({ list: 'corrections', organization }, listCorrections(context, { organization, ...range }), query);
    },
  }),
  operation({
    id: 'removeCorrection', method: 'delete', path: '/corrections/{id}', role: 'admin', tag: 'reconciliations', summary: 'Remove a correction',
    refuses: ['unknown_organization', 'unknown_correction'],
    params: idParams, answer: z.object({ id: z.string(), removed: z.literal(true) }).openapi('RemovedCorrection'),
    run: ({ context, actor, params }) => removeCorrection(context, params.id, actor.organization),
  }),
] as const;
