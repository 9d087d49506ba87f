/**
 * What is due of a segment → batches. Batches that have an organization in common wait for each other on a shared store. So organizations are
 * divided into groups, the same on every node, and a group that has many rows due gets a separate batch: nodes that ship at once do not wait for
 * each other (decisions 205 and 391). The rest goes in one batch, which moves the segment's mark and so comes last.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { CallBatch } from './call-sink.ts';
import type { DueRows } from './segment-reader.ts';

/** A group with as many rows has a separate batch. A batch costs a server as much as some tens of rows, whatever is in it. */
export const ownBatchRows = 200;
const groupsMax = 8;

/**
 * The batches, in the order in which they are to be shipped. Nodes begin at different groups, by `place`, so that they do not meet at each one
 * in turn.
 */
export function batchesByOrganization(
  { segment, after, place }: { readonly segment: string; readonly after: number; readonly place: number }, due: DueRows,
): CallBatch[] {
  const { through, records, runEvents } = due;
  const whole: CallBatch = { segment, after, through, records, runEvents };
  const rows = [...records.map(({ record }) => record), ...runEvents.map(({ event }) => event)];
  const groups = Map.groupBy(rows.map(({ organization }) => organization as OrganizationId), organizationGroup);
  const large = [...groups].filter(([, each]) => each.length >= ownBatchRows).sort(([one], [other]) => one - other)
    .map(([, each]) => new Set(each));
  const first = place % large.length;
  const ahead = [...large.slice(first), ...large.slice(0, first)];
  // Where nothing else is left for the last batch, it is that of the last group.
  if (large.length === groups.size) ahead.pop();
  if (ahead.length === 0) return [whole];
  const batchOf = (isOwn: (organization: OrganizationId) => boolean): CallBatch => ({
    ...whole, records: records.filter(({ record }) => isOwn(record.organization)),
    runEvents: runEvents.filter(({ event }) => isOwn(event.organization as OrganizationId)),
  });
  const without = new Set(ahead.flatMap((group) => [...group]));
  return [
    ...ahead.map((group): CallBatch => ({ ...batchOf((organization) => group.has(organization)), ahead: [...group] })),
    { ...batchOf((organization) => !without.has(organization)), without: [...without] },
  ];
}

/** The group of an organization: the ends of ids are random. */
export function organizationGroup(organization: OrganizationId): number {
  return (organization.charCodeAt(organization.length - 2) * 7 + organization.charCodeAt(organization.length - 1)) % groupsMax;
}
