/** Rows in the order of one column. Long lists are sorted a piece at a time, so that the page answers meanwhile. */
import { useEffect, useMemo, useState } from 'react';
import { doInPieces } from './pieces.ts';

type SortValue = string | number;

interface SortedBy<Row> {
  readonly value: (row: Row) => SortValue;
  readonly descending: boolean;
}

/** Lists up to this length are sorted at once. */
const atOnceMax = 2_000;
/** How many rows are sorted or merged between two looks at the clock. */
const piece = 1_000;

let names: Intl.Collator | undefined;

function compare(one: SortValue, other: SortValue): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return (names ??= new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })).compare(String(one), String(other));
}

/** A stable merge sort that stops after every piece. Returns new rows. */
export function* sortInPieces<Row>(rows: readonly Row[], { value, descending }: SortedBy<Row>): Generator<void, readonly Row[]> {
  const values: SortValue[] = [];
  for (let from = 0; from < rows.length; from += piece) {
    for (const row of rows.slice(from, from + piece)) values.push(value(row));
    yield;
  }
  const sign = descending ? -1 : 1;
  const order = (one: number, other: number): number => sign * compare(values[one]!, values[other]!);
  let runs: number[][] = [];
  for (let from = 0; from < rows.length; from += piece) {
    runs.push(Array.from({ length: Math.min(piece, rows.length - from) }, (_, at) => from + at).sort(order));
    yield;
  }
  while (runs.length > 1) {
    const longer: number[][] = [];
    for (let at = 0; at < runs.length; at += 2) longer.push(runs[at + 1] === undefined ? runs[at]! : yield* merged(runs[at]!, runs[at + 1]!, order));
    runs = longer;
  }
  return (runs[0] ?? []).map((at) => rows[at]!);
}

function* merged(first: readonly number[], second: readonly number[], order: (one: number, other: number) => number): Generator<void, number[]> {
  const both: number[] = [];
  let [at, otherAt] = [0, 0];
  while (at < first.length && otherAt < second.length) {
    both.push(order(first[at]!, second[otherAt]!) <= 0 ? first[at++]! : second[otherAt++]!);
    if (both.length % piece === 0) yield;
  }
  for (; at < first.length; at += 1) both.push(first[at]!);
  for (; otherAt < second.length; otherAt += 1) both.push(second[otherAt]!);
  return both;
}

interface Sorted<Row> {
  readonly rows: readonly Row[];
  /** True: the rows are still in their former order. */
  readonly busy: boolean;
}

/** `by`: null leaves the rows as they are. */
export function useSortedRows<Row>(rows: readonly Row[], by: SortedBy<Row> | null): Sorted<Row> {
  const [later, setLater] = useState<{ readonly of: readonly Row[]; readonly by: SortedBy<Row>; readonly sorted: readonly Row[] } | null>(null);
  const isLong = rows.length > atOnceMax;
  const now = useMemo(() => (by === null ? rows : isLong ? null : atOnce(sortInPieces(rows, by))), [rows, by, isLong]);
  useEffect(() => {
    if (by === null || !isLong) return;
    const ending = new AbortController();
    void doInPieces(sortInPieces(rows, by), ending.signal).then((sorted) => setLater({ of: rows, by, sorted }), (fault: unknown) => {
      if (!ending.signal.aborted) throw fault;
    });
    return () => ending.abort();
  }, [rows, by, isLong]);
  if (now !== null) return { rows: now, busy: false };
  return later?.of === rows ? { rows: later.sorted, busy: later.by !== by } : { rows, busy: true };
}

function atOnce<Value>(steps: Generator<void, Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
