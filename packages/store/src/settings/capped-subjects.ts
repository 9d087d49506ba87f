/**
 * How many keys, people, projects and labels of an organization have caps. Every node holds all of them, so there is a maximum, whoever makes them.
 * Decisions 304 and 318.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { cappedMax, type CapScope } from '@metergate/core/spend/cap.ts';
import { sql, type Transaction } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';

/** What the scopes are about, in a sentence. */
const subjectsOf = { key: 'keys', person: 'people', project: 'projects', label: 'labels' } as const;

/** What is to have a cap. */
interface ToBeCapped {
  readonly organization: OrganizationId;
  readonly scope: Exclude<CapScope, 'organization'>;
  /** An empty one is a key that is not made yet. */
  readonly subject: string;
}

/**
 * Inside a change: that this would be one more than may have caps, as a sentence; null: it would not. Who has one already may have more. Keys that no
 * longer work do not count.
 */
export async function tooManyCapped(
  transaction: Transaction<Schema>, { organization, scope, subject }: ToBeCapped, nowMs: number,
): Promise<string | null> {
  const caps = transaction.selectFrom('cap as c').where('c.organization', '=', organization).where('c.scope', '=', scope);
  if (await caps.select('c.id').where('c.subject', '=', subject).executeTakeFirst() !== undefined) return null;
  const { capped } = await caps.select(({ fn }) => fn.count<bigint>('c.subject').distinct().as('capped'))
    .$if(scope === 'key', (all) => all.where(ofWorkingKey(nowMs))).executeTakeFirstOrThrow();
  return Number(capped) < cappedMax[scope] ? null : `At most ${cappedMax[scope]} ${subjectsOf[scope]} of an organization can have caps.`;
}

/** Clocks differ, and a node asks again only after the next change. Milliseconds. */
const expiredMarginMs = 3_600_000;

/** Of caps of keys, as `c`: the key works, or has expired within the hour. One that is made to work again is a change, so nodes ask again. */
export function ofWorkingKey(nowMs: number) {
  return sql<boolean>`not exists (select 1 from service_key as dead where c.scope = 'key' and dead.id = c.subject
    and (dead.revoked_at_ms is not null or dead.expires_at_ms < ${BigInt(Math.floor(nowMs) - expiredMarginMs)}))`;
}

/**
 * Inside a change, before the cap is made: if it is the organization's first, no batch of its records is under way until the change ends. A batch
 * reads only once, under its chain's lock, whether there are caps (`apply-to-leases.ts`). Otherwise a node might get a lease of the new cap that
 * leaves the batch out, and nobody would tell it. SQLite lets in one writer anyway.
 * To be called twice: before the revision's row is taken, so that other changes of the store do not wait for the batch too, and under it, since the
 * last cap may have gone in between, or the chain been made.
 */
export async function beforeFirstCap(kind: Engine['kind'], transaction: Transaction<Schema>, organization: OrganizationId): Promise<void> {
  if (kind === 'sqlite') return;
  const capped = await transaction.selectFrom('cap').select('id').where('organization', '=', organization).limit(1).executeTakeFirst();
  if (capped !== undefined) return;
  await transaction.selectFrom('receipt_chain').select('organization').where('organization', '=', organization).forShare().execute();
}
