/** How far the removal of records is behind their ages, over all organizations, for metrics. Decision 0032. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Store } from '@metergate/store/store.ts';

/** Organizations that one question looks at: on the embedded store a few milliseconds of this thread. */
const pageSize = 500;
const pauseMs = 20;

/** By how much the oldest record of any organization is past its age; 0: none is. */
export async function retentionDelayMs({ retention }: Pick<Store, 'retention'>, nowMs: number): Promise<number> {
  let mostMs = 0;
  for (let after: OrganizationId | null = null; ;) {
    const { behindMs, next } = await retention.behind(nowMs, { after, limit: pageSize });
    mostMs = Math.max(mostMs, behindMs);
    if (next === null) return mostMs;
    after = next;
    await new Promise((resume) => setTimeout(resume, pauseMs));
  }
}
