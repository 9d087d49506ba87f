/** Files of receipts as an organization exports them. */
import type { UseCaseContext } from '../../context.ts';
import { granted, type PlatformFixture, type TestOrganization } from '../../../http/test-support/platform-fixture.ts';
import { exportReceipts, type ReceiptsQuery } from '../receipts.ts';

/** The context for use cases of the fixture's platform. */
export function useCasesOf({ store, parts: { randomBytes } }: PlatformFixture): UseCaseContext {
  return { store, randomBytes, nowMs: Date.now() };
}

/** The text of a file; by default of the whole chain. */
export async function receiptFileOf(platform: PlatformFixture, { id }: TestOrganization, query: Partial<ReceiptsQuery> = {}): Promise<string> {
  const made = granted(await exportReceipts(useCasesOf(platform), { organization: id, ...query }));
  let text = '';
  for await (const piece of made.file.pieces) text += Buffer.from(piece.bytes).toString('utf8');
  return text;
}
