/**
 * Fills an empty store with organizations, keys and calls, for trials and benchmarks. Rules: `seed`. Calls take the same way as real
 * ones, with all their sums, so that everything in the store adds up. What a busy store does not answer in time is given to it again, in smaller
 * batches.
 */
import { createHash } from 'node:crypto';
import { newId, idPrefix, type OrganizationId, type ServiceKeyId } from '@metergate/core/id.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { dayLengthMs } from '@metergate/core/time/utc-day.ts';
import type { SeededRun } from '@metergate/store/calls/seeding.ts';
import { z } from 'zod';
import { createDrawing } from '../seed/drawing.ts';
import { plausibleCalls, plausibleRun } from '../seed/plausible-calls.ts';
import { callerOf, type SeededCaller } from '../seed/tenants.ts';
import { triedAgain } from '../seed/tried-again.ts';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { priceBook } from './prices.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

/** Totals, over all organizations. */
interface SeedSize {
  readonly organizations: number;
  readonly keys: number;
  readonly calls: number;
}

export const seedMax: SeedSize = { organizations: 100_000, keys: 5_000_000, calls: 1_000_000_000 };

const size = z.object({
  organizations: z.int().min(1).max(seedMax.organizations), keys: z.int().min(0).max(seedMax.keys), calls: z.int().min(0).max(seedMax.calls),
}).refine(({ keys, organizations }) => keys >= organizations, { error: 'There must be at least as many keys as organizations.' });

/** Calls are spread over this many days up to now. */
const days = 90;
const batchCallsMost = 20_000;
/** Batches become no smaller than this. */
const batchCallsLeast = 100;

/**
 * Refuses a store that is not empty. `progressed` gets the number of calls made so far. `batchCalls`: how many the store gets at once, as long as it
 * answers in time.
 */
export async function seedStore(
  context: UseCaseContext, wanted: SeedSize, progressed: (calls: number) => void, batchCalls = batchCallsMost,
): Promise<SeedSize | AdministrationRefusal> {
  const checked = checkInput(size, wanted);
  if (isRefusal(checked)) return checked;
  const { store } = context;
  if (!await store.seeding.isEmpty()) {
    return refuseInput('store_not_empty', 'This store is in use: seed fills an empty one only. Name another with SVC_DATA_DIR or SVC_DATABASE_URL.');
  }
  const book = await priceBook(context);
  if (isRefusal(book)) return book;
  await store.seeding.begin();
  const callers = await addCallers(context, wanted);
  const draw = createDrawing(wanted.calls);
  let batch: CallRecord[] = [];
  let through = 0;
  const runs = new Set<string>();
  /** Runs come before their calls, whose costs are added to them. */
  const beginRuns = async (): Promise<void> => {
    const fresh: SeededRun[] = [];
    for (const { organization, run, startedAtMs } of batch) {
      if (run === null || runs.has(`${organization} ${run}`)) continue;
      runs.add(`${organization} ${run}`);
      fresh.push(plausibleRun({ organization, startedAtMs }, run));
    }
    await triedAgain(() => store.seeding.addRuns(fresh, context.nowMs), () => {});
  };
  let atOnce = batchCalls;
  const shipNext = async (): Promise<void> => {
    const some = batch.slice(0, atOnce);
    await store.calls.ship({
      segment: 'seg_seed', after: through, through: through + some.length,
      records: some.map((record, index) => ({ seq: through + index + 1, record })),
    });
    batch = batch.slice(some.length);
    through += some.length;
  };
  const ship = async (): Promise<void> => {
    await beginRuns();
    while (batch.length > 0) await triedAgain(shipNext, () => { atOnce = Math.max(batchCallsLeast, Math.ceil(atOnce / 2)); });
    progressed(through);
  };
  for (const record of plausibleCalls({ callers, calls: wanted.calls, nowMs: context.nowMs, days, book }, draw)) {
    if (batch.push(record) >= batchCalls) await ship();
  }
  if (batch.length > 0) await ship();
  await store.seeding.settle();
  return { organizations: wanted.organizations, keys: wanted.keys, calls: through };
}

/** Organizations with their keys, the largest first: `default` is one of them. */
async function addCallers({ store, nowMs, randomBytes }: UseCaseContext, { organizations, keys }: SeedSize): Promise<SeededCaller[]> {
  const draw = createDrawing(organizations * 31 + keys);
  const callers: SeededCaller[] = [];
  const shares = Array.from({ length: organizations }, (_, index) => 1 / Math.sqrt(index + 1));
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let due = 0;
  let left = keys;
  for (let index = 0; index < organizations; index += 1) {
    due += shares[index]!;
    const others = organizations - index - 1;
    const count = others === 0 ? left : Math.min(left - others, Math.max(1, Math.round((keys * due) / whole) - (keys - left)));
    const organization = await organizationOf(store, index);
    const own = Array.from({ length: count }, (_, number) =>
      callerOf(organization, (newId(idPrefix.serviceKey, randomBytes)) as ServiceKeyId, number + 1, draw));
    const seeded = own.map(({ key, name, project }) => ({
      id: key, organization, name, project, prefix: 'svc_live_seed', hash: createHash('sha256').update(randomBytes(32)).digest('hex'),
      createdAtMs: nowMs - days * dayLengthMs,
    }));
    await triedAgain(() => store.seeding.addKeys(organization, seeded), () => {});
    callers.push(...own);
    left -= count;
  }
  return callers;
}

async function organizationOf(store: UseCaseContext['store'], index: number): Promise<OrganizationId> {
  const name = index === 0 ? 'default' : `Organization ${index + 1}`;
  const known = index === 0 ? await store.organizations.find(name) : null;
  if (known !== null && !isRefusal(known)) return known.id;
  const made = await store.organizations.create({ name, plan: index === 0 ? 'scale' : 'team' });
  if ('refused' in made) throw new Error(`The organization ${name} cannot be made: ${made.refused.message}`);
  return made.id;
}
