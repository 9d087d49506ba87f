/** Where a refused call of a known key is counted, and kept as an entry for those who look for it by its id. */
import type { RequestId } from '@metergate/core/id.ts';
import type { HeldKey } from '../guards/held-key.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { RefusalAnswer } from '../callers/refusals.ts';

/** For a refusal that no budget caused. */
const unbudgeted = { scope: null, window: null } as const;

/** A refusal as its caller saw it. */
interface SentRefusal {
  readonly id: RequestId;
  /** The answer's own id; null: nothing could be sent. */
  readonly answerId: RequestId | null;
  readonly answer: Pick<RefusalAnswer, 'code' | 'budget'>;
  readonly run: string | null;
}

export function noteRefusal(
  node: Pick<GatewayNode, 'refusalCounts' | 'refusalEntries' | 'clock'>, held: HeldKey, { id, answerId, answer, run }: SentRefusal,
): void {
  const { code, budget: { scope, window } = unbudgeted } = answer;
  const [organization, key, refusedAtMs] = [held.organization.id, held.key.id, node.clock.wallMs()];
  node.refusalCounts.add(organization, key, { code, scope, window }, refusedAtMs);
  node.refusalEntries.add({ organization, key, id, answerId: answerId ?? id, run, code, scope, window, refusedAtMs });
}
