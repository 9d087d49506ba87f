/**
 * Verifies the receipt of one call in the browser. It requests the signed file for the call's place in the chain, computes the hashes again
 * and checks the signatures with the browser's own cryptography and the rules of `metergate receipts verify`. Then it compares the figures
 * with those that the page shows. Loaded on demand.
 */
import { parseLine, type ReceiptLine } from '@metergate/core/books/receipt/receipt-file.ts';
import { ReceiptVerifier, type Question, type ReceiptFault, type ReceiptVerdict } from '@metergate/core/books/receipt/verify-receipts.ts';
import { ask, Refused } from '../../api/client.ts';
import type { ShownCall } from '../../shown/call-record.ts';

export type Verified =
  /** The file is whole and signed, and its figures of this call equal the page's. `file`: what was checked. */
  | { readonly is: 'good'; readonly receipt: ReceiptLine; readonly verdict: ReceiptVerdict; readonly file: string }
  | { readonly is: 'bad'; readonly fault: ReceiptFault; readonly file: string }
  /** The receipts are valid, but this call's figures differ from the page's. `fields`: which. */
  | { readonly is: 'differs'; readonly fields: readonly string[]; readonly file: string }
  /** The call is not signed yet, or is from before there were receipts. */
  | { readonly is: 'none' }
  /** The browser has no cryptography here: the page came over plain http from another machine, or the browser lacks Ed25519. */
  | { readonly is: 'unable' };

export async function verifyReceipt(call: ShownCall): Promise<Verified> {
  if (globalThis.crypto.subtle === undefined) return { is: 'unable' };
  const file = await receiptsAt(call);
  if (file === null) return { is: 'none' };
  const verifier = new ReceiptVerifier(null);
  let receipt: ReceiptLine | null = null;
  try {
    for (const text of file.split('\n').slice(0, -1)) {
      await answered(verifier.take(text));
      const line = parseLine(text);
      if (line?.type === 'receipt' && line.figures.id === call.id) receipt = line;
    }
  } catch (fault) {
    if (fault instanceof DOMException && fault.name === 'NotSupportedError') return { is: 'unable' };
    throw fault;
  }
  const verdict = verifier.verdict();
  if (verdict.fault !== null) return { is: 'bad', fault: verdict.fault, file };
  if (receipt === null) return { is: 'none' };
  const fields = differing(call, receipt);
  return fields.length === 0 ? { is: 'good', receipt, verdict, file } : { is: 'differs', fields, file };
}

/** The receipts of the millisecond in which the call began. */
async function receiptsAt({ startedAt }: ShownCall): Promise<string | null> {
  const to = new Date(Date.parse(startedAt) + 1).toISOString();
  try {
    const { data } = await ask.GET('/platform/v1/receipts', { params: { query: { from: startedAt, to } }, parseAs: 'text' });
    return data ?? null;
  } catch (fault) {
    if (fault instanceof Refused && fault.code === 'no_receipts') return null;
    throw fault;
  }
}

async function answered(checking: ReturnType<ReceiptVerifier['take']>): Promise<void> {
  for (let step = checking.next(); step.done !== true;) step = checking.next(await answerTo(step.value));
}

async function answerTo(question: Question): Promise<string | boolean> {
  const { subtle } = globalThis.crypto;
  const text = new TextEncoder().encode(question.text);
  if (question.ask === 'sha256') return hexOf(new Uint8Array(await subtle.digest('SHA-256', text)));
  const key = await subtle.importKey('raw', bytesOf(question.publicKey), 'Ed25519', false, ['verify']);
  return subtle.verify('Ed25519', key, bytesOf(question.signature), text);
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

const figures = [
  'id', 'organization', 'key', 'wire', 'endpoint', 'method', 'startedAt', 'node', 'streamed', 'status', 'outcome', 'inputTokens', 'outputTokens',
  'cachedTokens', 'cacheWriteTokens', 'reasoningTokens', 'usage', 'usageReason', 'cost', 'costSource', 'priceList', 'requestBytes',
  'responseBytes', 'firstByteMs', 'durationMs',
] as const;
const words = ['project', 'run', 'path', 'model', 'finishReason', 'providerRequestId'] as const;

/** Names of the fields that differ between receipt and page. */
function differing(call: ShownCall, { figures: signed, words: said }: ReceiptLine): readonly string[] {
  const text = (value: string | number | boolean | null): string | null => (value === null ? null : String(value));
  return [
    ...figures.filter((name) => signed[name] !== text(call[name])),
    ...(said === null ? [] : words.filter((name) => said[name] !== call[name])),
    ...(said !== null && (said.requestedModel ?? null) !== (call.requestedModel ?? null) ? ['requestedModel'] : []),
    ...((signed.pricedBy === 'requested_model') === (call.pricedBy === 'requested_model') ? [] : ['pricedBy']),
    ...(said !== null && said.labels.join('\n') !== call.labels.join('\n') ? ['labels'] : []),
  ];
}
