/** The rules of `core/books/month/verify-month.ts` with Node's cryptography: a month's file in pieces → its verdict. */
import { createHash } from 'node:crypto';
import { MonthVerifier, type MonthVerdict } from '@metergate/core/books/month/verify-month.ts';
import { feedLines } from '../receipts/check-receipts.ts';

/** `trusted`: raw public keys in base64; null: the file is only checked against itself. */
export async function checkMonth(pieces: AsyncIterable<Uint8Array>, trusted: readonly string[] | null): Promise<MonthVerdict> {
  const digest = createHash('sha256');
  const verifier = new MonthVerifier(trusted, { update: (text) => void digest.update(text, 'utf8'), hex: () => digest.copy().digest('hex') });
  await feedLines(verifier, pieces);
  return verifier.verdict();
}
