/**
 * What is due of a segment → batches. On a shared store an organization that has many rows due gets a separate batch: it touches fewer rows of
 * sums, and nodes that ship at once do not wait for each other's organizations (decision 205). The rest goes in one batch, which moves the
 * segment's mark and so comes last.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { CallBatch } from './call-sink.ts';
import type { DueRows } from './segment-reader.ts';

/** An organization with as many rows has a separate batch. A batch costs a server as much as some tens of rows, whatever is in it. */
export const ownBatchRows = 400;

/**
 * The batches, in the order in which they are to be shipped. Nodes begin at different organizations, by `place`, so that they do not meet at each
 * one in turn.
 */
export function batchesByOrganization(
  { segment, after, place }: { readonly segment: string; readonly after: number; readonly place: number }, due: DueRows,
): CallBatch[] {
  const { through, records, runEvents } = due;
  const whole: CallBatch = { segment, after, through, records, runEvents };
  const counts = new Map<OrganizationId, number>();
  const rows = [...records.map(({ record }) => record), ...runEvents.map(({ event }) => event)];
  for (const { organization } of rows) {
    const id = organization as OrganizationId;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  if (counts.size < 2) return [whole];
  const large = [...counts].filter(([, count]) => count >= ownBatchRows).map(([organization]) => organization).sort();
  if (large.length === 0) return [whole];
  const first = place % large.length;
  const without = [...large.slice(first), ...large.slice(0, first)];
  const own = new Set<string>(without);
  return [
    ...without.map((ahead): CallBatch => ({
      ...whole, ahead, records: records.filter(({ record }) => record.organization === ahead),
      runEvents: runEvents.filter(({ event }) => event.organization === ahead),
    })),
    {
      ...whole, without, records: records.filter(({ record }) => !own.has(record.organization)),
      runEvents: runEvents.filter(({ event }) => !own.has(event.organization)),
    },
  ];
}
