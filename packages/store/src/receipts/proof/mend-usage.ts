/**
 * Brings sums of usage to what their records say: by what is lacking, added to whatever they hold at that moment, so that batches need not be held
 * off. In the order in which shippers write them.
 */
import { sendRows, type BulkColumn, type BulkInsert } from '../../engine/bulk.ts';
import type { Engine } from '../../engine/engine.ts';
import { onBoth } from '../../engine/texts.ts';
import { erasedAmong, holdOffErasures } from '../../operation/erased.ts';
import { figureColumnNames } from '../../usage/figure-columns.ts';
import type { ProvedSum, ProvedTable } from './day-sums.ts';

/** A sum and what it lacks; negative: what it has too much. */
export interface Lack extends ProvedSum {
  readonly organization: string;
}

type MendedKind = Exclude<ProvedTable, 'spend_day'>;

const organization: BulkColumn<Lack> = { name: 'organization', kind: 'text', value: (lack) => lack.organization };
const attribution: BulkColumn<Lack> = { name: 'attribution', kind: 'whole', value: (lack) => lack.attribution };
const text = (name: string, value: (lack: Lack) => string): BulkColumn<Lack> => ({ name, kind: 'text', value });
const at = (name: string): BulkColumn<Lack> => ({ name, kind: 'whole', value: (lack) => lack.atMs });
const figures = figureColumnNames.map((name, index): BulkColumn<Lack> => ({ name, kind: 'whole', value: (lack) => lack.figures[index]! }));
const amount: BulkColumn<Lack> = { name: 'amount', kind: 'whole', value: (lack) => lack.figures[0]! };
const hours: BulkColumn<Lack> = { name: 'hours', kind: 'whole', value: (lack) => lack.hours };

const keys: { readonly [Kind in MendedKind]: readonly BulkColumn<Lack>[] } = {
  usage_sum: [organization, text('dimension', (lack) => lack.dimension), at('day_ms'), text('subject', (lack) => lack.subject)],
  attribution_sum: [attribution, text('span', (lack) => lack.dimension), at('start_ms')],
  word_sum: [organization, text('dimension', (lack) => lack.dimension), text('subject', (lack) => lack.subject), at('day_ms'), attribution],
  hour_sum: [organization, at('hour_ms'), text('figure', (lack) => lack.dimension)],
};

function into(kind: MendedKind): BulkInsert<Lack> {
  const values = kind === 'hour_sum' ? [amount] : figures;
  const more = values.map(({ name }) => `${name} = ${kind}.${name} + excluded.${name}`);
  return {
    table: kind, columns: [...keys[kind], ...values, ...(kind === 'word_sum' ? [hours] : [])],
    adds: {
      key: keys[kind].map(({ name }) => name).join(', '),
      set: [...more, ...(kind === 'word_sum' ? ['hours = word_sum.hours | excluded.hours'] : [])].join(', '),
    },
  };
}

const order = ['usage_sum', 'attribution_sum', 'word_sum', 'hour_sum'] as const;
const inserts = Object.fromEntries(order.map((kind) => [kind, into(kind)])) as { readonly [Kind in MendedKind]: BulkInsert<Lack> };
const emptied = Object.fromEntries(order.map((kind) => [kind, onBoth(`delete from ${kind} where ${
  keys[kind].map(({ name }, index) => `${name} = $${index + 1}`).join(' and ')} and ${kind === 'hour_sum' ? 'amount' : 'calls'} = 0`)])) as
  { readonly [Kind in MendedKind]: ReturnType<typeof onBoth> };

export function mayMend(kind: ProvedTable): kind is MendedKind {
  return kind !== 'spend_day';
}

/** One transaction. A sum that nothing is left of goes. Of an organization that was erased since they were found, nothing: erasure moves its sums. */
export async function mendUsage(engine: Engine, lacks: readonly Lack[]): Promise<void> {
  await engine.transact((send) => {
    holdOffErasures(engine.kind, send);
    return erasedAmong(engine.kind, send, lacks.map((lack) => lack.organization));
  }, (send, erased) => {
    for (const kind of order) {
      const own = lacks.filter((lack) => lack.kind === kind && !erased.has(lack.organization)).sort(inKeyOrder(kind));
      sendRows(engine.kind, send, inserts[kind], own);
      for (const lack of own) {
        if (lack.figures[0]! < 0n) void send(emptied[kind][engine.kind], keys[kind].map(({ value }) => value(lack)));
      }
    }
  });
}

function inKeyOrder(kind: MendedKind): (one: Lack, other: Lack) => number {
  return (one, other) => {
    for (const { value } of keys[kind]) {
      const [a, b] = [value(one)!, value(other)!];
      if (a !== b) return a < b ? -1 : 1;
    }
    return 0;
  };
}
