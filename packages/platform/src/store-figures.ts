/**
 * What `/metrics` shows of the store: organizations near their caps, and how far the removal of records is behind their ages. Looked at page by
 * page: on the embedded store a page is a few milliseconds of this thread, however many organizations there are.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Store } from '@metergate/store/store.ts';

/** Organizations per query. */
const limit = 500;
const pauseMs = 20;

/** Organizations with a reached cap, and others with one that is four fifths spent. */
export async function organizationsNearCaps(
  { nearCaps }: Pick<Store, 'nearCaps'>, nowMs: number,
): Promise<{ readonly reached: number; readonly near: number }> {
  const sum = { reached: 0, near: 0 };
  await eachPage(async (after) => {
    const { reached, near, next } = await nearCaps.count(nowMs, { after, limit });
    sum.reached += reached;
    sum.near += near;
    return next;
  });
  return sum;
}

/** By how much the oldest record of any organization is past its age; 0: none is. Decision 0032. */
export async function retentionDelayMs({ retention }: Pick<Store, 'retention'>, nowMs: number): Promise<number> {
  let mostMs = 0;
  await eachPage(async (after) => {
    const { behindMs, next } = await retention.behind(nowMs, { after, limit });
    mostMs = Math.max(mostMs, behindMs);
    return next;
  });
  return mostMs;
}

async function eachPage(page: (after: OrganizationId | null) => Promise<OrganizationId | null>): Promise<void> {
  for (let after = await page(null); after !== null; after = await page(after)) {
    await new Promise((resume) => setTimeout(resume, pauseMs));
  }
}
