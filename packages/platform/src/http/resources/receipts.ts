/** Receipts of the organization's calls: a file of them, one of them, the keys. Rule 24; rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { figureNames, laterFigureNames } from '@metergate/core/books/receipt/receipt.ts';
import { momentOf } from '@metergate/core/time/time-word.ts';
import { exportReceipts, receiptFileType, rotateReceiptKey, showReceipt, showReceiptKeys } from '../../use-cases/receipts/receipts.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { downloadOperation, operation, readingOperation } from '../operation.ts';
import { idParams, instant, timeQuery } from './fields.ts';

const digest = z.string().openapi({ description: 'SHA-256 in hexadecimal', pattern: '^[0-9a-f]{64}$' });
const field = z.string().nullable();

const keysSchema = z.object({
  organization: z.string(), key: z.string().openapi({ description: 'The key that signs now' }), pem: z.string(),
  keys: z.array(z.object({
    id: z.string(), publicKey: z.string().openapi({ description: 'Ed25519, 32 raw bytes, base64' }),
    follows: z.object({ at: instant, signedByPrevious: z.string(), signedByItself: z.string() }).nullable(),
  })),
}).openapi('ReceiptKeys');

const receiptSchema = z.object({
  call: z.string(), organization: z.string(), sequence: z.int(), previous: digest,
  figures: z.object({
    ...Object.fromEntries(figureNames.map((name) => [name, field])),
    ...Object.fromEntries(laterFigureNames.map((name) => [name, field.optional()])),
  }),
  words: z.object({
    salt: digest, project: field, labels: z.array(z.string()), run: field, path: z.string(), model: field, finishReason: field,
    serviceTier: field, providerRequestId: field, requestedModel: z.string().optional(),
  }).nullable().openapi({ description: 'Null: erased' }),
  wordsDigest: digest, hash: digest,
  matches: z.boolean().openapi({ description: 'Whether the stored record gives this hash' }),
  checkpoint: z.object({
    organization: z.string(), key: z.string(), first: z.int(), previous: digest, last: z.int(), hash: digest, at: instant, signature: z.string(),
  }).nullable().openapi({ description: 'The signed checkpoint that covers it' }),
}).openapi('Receipt');

export const receiptOperations = [
  downloadOperation({
    id: 'exportReceipts', refuses: ['unknown_organization', 'no_receipts'], path: '/receipts', role: 'viewer', tag: 'receipts',
    summary: 'Receipts in the order of the chain, with their signed end: all, or those of the calls that started in [from, to)',
    query: z.object({ from: timeQuery.optional(), to: timeQuery.optional() }),
    downloads: [receiptFileType],
    run: async ({ context, actor, query: { from, to } }) => {
      const made = await exportReceipts(context, {
        organization: actor.organization,
        ...(from === undefined ? {} : { fromMs: momentOf(from, context.nowMs) }), ...(to === undefined ? {} : { toMs: momentOf(to, context.nowMs) }),
      });
      return isRefusal(made) ? made : { download: made.file };
    },
  }),
  readingOperation({
    id: 'showReceipt', refuses: ['unknown_organization', 'no_receipts'], path: '/calls/{id}/receipt', role: 'viewer', tag: 'receipts',
    summary: 'The receipt of one call',
    params: idParams, answer: receiptSchema,
    run: ({ context, actor, params }) => showReceipt(context, params.id, actor.organization),
  }),
  operation({
    id: 'showReceiptKeys', method: 'get', path: '/receipt-keys', role: 'viewer', tag: 'receipts', summary: 'Public keys that receipts verify with',
    answer: keysSchema, refuses: ['unknown_organization', 'no_receipts'],
    run: ({ context, actor }) => showReceiptKeys(context, actor.organization),
  }),
  operation({
    id: 'rotateReceiptKey', method: 'post', path: '/receipt-keys/rotate', role: 'admin', tag: 'receipts',
    summary: 'Rotate the signing key; both keys sign the succession', answer: keysSchema,
    refuses: ['unknown_organization', 'no_receipts'],
    run: ({ context, actor }) => rotateReceiptKey(context, actor.organization),
  }),
] as const;
