/** Files of receipts as an organization exports them. */
import type { UseCaseContext } from '../../context.ts';
import { granted, type PlatformFixture, type TestOrganization } from '../../../http/test-support/platform-fixture.ts';
import { exportReceipts, type ReceiptsQuery } from '../receipts.ts';

/** What a use case of the fixture's platform is asked with. */
export function useCasesOf({ store, parts: { randomBytes } }: PlatformFixture): UseCaseContext {
  return { store, randomBytes, nowMs: Date.now() };
}

/** The text of a file; of the whole chain unless a query says otherwise. */
export async function receiptFileOf(platform: PlatformFixture, { id }: TestOrganization, query: Partial<ReceiptsQuery> = {}): Promise<string> {
  const made = granted(await exportReceipts(useCasesOf(platform), { organization: id, ...query }));
  let text = '';
  for await (const piece of made.file.pieces) text += Buffer.from(piece.bytes).toString('utf8');
  return text;
}
