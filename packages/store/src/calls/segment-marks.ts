/**
 * How far a segment is shipped, as the store knows it: one mark for all of it, and marks of organizations that were shipped ahead of the others
 * (decision 205). A row is in the store if either mark has passed it. A mark of an organization goes once the segment's has passed it.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import { onBoth, onEach, wordsFrom, wordsGiven } from '../engine/texts.ts';
import { assertTaken } from '../schema/migrations/writer-taken.ts';
import type { CallBatch } from '../journal/call-sink.ts';

/** The marks of one segment, under their locks. */
export interface Marks {
  /** Up to which the store holds the rows of an organization, or of all. */
  of(organization: OrganizationId | undefined): number;
  /** Whether a row comes after what the store holds. */
  areBefore(seq: number, row: { readonly organization: string }): boolean;
  /** Whether some organization has a separate mark. */
  readonly hasAhead: boolean;
}

const readMark = {
  sqlite: 'select mark from journal_segment where id = ?',
  // With the mark comes whose batches the store takes: where a cell is on Citus, no trigger refuses those of others.
  postgres: 'select mark, (select oldest_writer from metergate_schema) as oldest from journal_segment where id = $1 for update',
} as const;
const readAhead = onBoth('select organization, mark from journal_ahead where segment = $1');
const move = onBoth('update journal_segment set mark = $1 where id = $2');
const moveAhead = onEach((engine) => `with given as ${wordsGiven(engine)} insert into journal_ahead (organization, segment, mark)
  select word, cast(${engine === 'sqlite' ? '?' : '$2'} as text), cast(${engine === 'sqlite' ? '?' : '$3'} as bigint) from given where true
  on conflict (segment, organization) do update set mark = excluded.mark`);
const forgetAhead = onBoth('delete from journal_ahead where segment = $1 and mark <= $2');

/** Locks and reads them. One segment's batches take turns, whoever ships them. */
export async function lockMarks(kind: Engine['kind'], send: Send, { segment }: Pick<CallBatch, 'segment'>): Promise<Marks> {
  const [rows, ahead] = await Promise.all([
    send<{ readonly mark: bigint; readonly oldest?: bigint }>(readMark[kind], [segment]),
    send<{ readonly organization: string; readonly mark: bigint }>(readAhead[kind], [segment]),
  ]);
  assertTaken(rows[0]?.oldest ?? 0n);
  const mark = Number(rows[0]?.mark ?? 0n);
  const own = new Map(ahead.map((row) => [row.organization, Number(row.mark)]));
  const of = (organization: string | undefined): number => (organization === undefined ? mark : Math.max(mark, own.get(organization) ?? 0));
  return { of, areBefore: (seq, { organization }) => seq > of(organization), hasAhead: own.size > 0 };
}

/** The marks that a batch moves: those of its organizations, or that of the whole segment. None steps back. */
export function moveMark(kind: Engine['kind'], send: Send, { segment, through, ahead }: CallBatch, marks: Marks): void {
  if (ahead !== undefined) {
    const behind = ahead.filter((organization) => marks.of(organization) < through);
    void send(moveAhead[kind], [wordsFrom(kind, behind), segment, through]);
    return;
  }
  void send(move[kind], [through, segment]);
  if (marks.hasAhead) void send(forgetAhead[kind], [segment, through]);
}
