/** Every record that a store keeps of an organization, newest first, read one by one: tests compare with them what stores keep in sums. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';

/** As much of a store as is read here. */
interface KeepsCalls {
  readonly callWalk: {
    walk(query: { readonly organization: OrganizationId; readonly fromMs: number; readonly toMs: number }): AsyncIterable<
      readonly { readonly record: CallRecord }[]>;
  };
}

/** The furthest that a moment can be from 1970. */
const farMs = 8_640_000_000_000_000;

export async function keptCalls(store: KeepsCalls, organization: OrganizationId): Promise<CallRecord[]> {
  const found: CallRecord[] = [];
  for await (const page of store.callWalk.walk({ organization, fromMs: -farMs, toMs: farMs })) found.push(...page.map(({ record }) => record));
  return found.reverse();
}
