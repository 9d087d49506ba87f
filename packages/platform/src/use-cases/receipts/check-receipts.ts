/**
 * The rules of `core/books/receipt/verify-receipts.ts` with Node's cryptography: a file of receipts in pieces → its verdict, in constant memory.
 */
import { hash, verify, type KeyObject } from 'node:crypto';
import { ReceiptVerifier, type Question, type ReceiptVerdict } from '@metergate/core/books/receipt/verify-receipts.ts';
import { publicKeyOf } from './public-key-pem.ts';

/** None of our lines is longer; a foreign file may be one single line. */
const lineBytesMax = 1_048_576;

/** `trusted`: raw public keys in base64; null: the file is only checked against itself. */
export async function checkReceipts(pieces: AsyncIterable<Uint8Array>, trusted: readonly string[] | null): Promise<ReceiptVerdict> {
  const verifier = new ReceiptVerifier(trusted);
  await feedLines(verifier, pieces);
  return verifier.verdict();
}

/** What checks a file line by line, and asks for the cryptography that it has not. */
interface LineVerifier {
  readonly failed: boolean;
  take(line: string): Generator<Question, void, string | boolean>;
}

/** Gives the lines of a file to its verifier, until it has failed. */
export async function feedLines(verifier: LineVerifier, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const answer = answered();
  for await (const line of linesOf(pieces)) {
    const checking = verifier.take(line);
    let step = checking.next();
    while (step.done !== true) step = checking.next(answer(step.value));
    if (verifier.failed) break;
  }
}

/** Whether one statement carries its key's signature. `publicKey`: raw, base64. */
export function isSigned({ text, publicKey, signature }: Omit<Extract<Question, { ask: 'signature' }>, 'ask'>): boolean {
  return isSignedBy(publicKeyOf(publicKey), text, signature);
}

/** Answers the questions of one file; each of its keys is read once. */
function answered(): (question: Question) => string | boolean {
  const keys = new Map<string, KeyObject | null>();
  return (question) => {
    if (question.ask === 'sha256') return hash('sha256', question.text, 'hex');
    const { publicKey, text, signature } = question;
    if (!keys.has(publicKey)) keys.set(publicKey, publicKeyOf(publicKey));
    return isSignedBy(keys.get(publicKey)!, text, signature);
  };
}

function isSignedBy(key: KeyObject | null, text: string, signature: string): boolean {
  return key !== null && verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64'));
}

/** Every line must end with a line feed. Text that is not UTF-8, or a last line without one, becomes a line that no file of receipts has. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let from = 0;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
      yield textOf(bytes.subarray(from, at));
      from = at + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > lineBytesMax) break;
  }
  if (rest.length > 0) yield '';
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return '';
  }
}
