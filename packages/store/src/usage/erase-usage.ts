/**
 * Removes the words of an erased organization from its usage sums: labels, runs, projects and models. The figures stay without a name and
 * still add up. In slices, each in a transaction of the caller's; records lose their words first.
 */
import { monthOf } from '@metergate/core/time/utc-month.ts';
import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import { hourlyLabels, labelMonths, namedHours } from './usage-additions.ts';
import { addedOnConflict, figureColumnNames } from './figure-columns.ts';

/** Dimensions whose subjects are a caller's or a provider's words. */
const wordsOf = ['label', 'model', 'project', 'run'] as const;
const rowsAtOnce = 200;
const attributionsAtOnce = 20;
const figures = sql.join(figureColumnNames.map((name) => sql.ref(name)));

/** Makes these records refer to their attribution without words. */
export async function reattribute(transaction: Transaction<Schema>, sequences: readonly bigint[]): Promise<void> {
  const those = sql.join([...sequences]);
  await addWordless(transaction, sql`id in (select attribution from call_record where sequence in (${those}))`);
  await sql`update call_record set attribution = (${wordlessOf(sql`call_record.attribution`)}) where sequence in (${those})`.execute(transaction);
}

/** Removes one slice. False: no sum of the organization has a word any more. */
export async function dropWords(engine: Engine['kind'], transaction: Transaction<Schema>, organization: string): Promise<boolean> {
  const { rows: named } = await sql`delete from usage_sum where (organization, dimension, day_ms, subject) in (
    select organization, dimension, day_ms, subject from usage_sum
    where organization = ${organization} and dimension in (${sql.join([...wordsOf, hourlyLabels])}) and subject <> '' limit ${rowsAtOnce})
    returning 1 as dropped`.execute(transaction);
  if (named.length > 0) return true;
  const { rows: words } = await sql`delete from word_sum where (organization, dimension, subject, day_ms, attribution) in (
    select organization, dimension, subject, day_ms, attribution from word_sum where organization = ${organization} limit ${rowsAtOnce})
    returning 1 as dropped`.execute(transaction);
  return words.length > 0 || await mergeAttributions(engine, transaction, organization);
}

async function mergeAttributions(engine: Engine['kind'], transaction: Transaction<Schema>, organization: string): Promise<boolean> {
  const worded = await transaction.selectFrom('attribution').select('id').where('organization', '=', organization)
    .where((where) => where.or([where('project', '<>', ''), where('model', '<>', '')])).limit(attributionsAtOnce).execute();
  if (worded.length === 0) return false;
  await addWordless(transaction, sql`id in (${sql.join(worded.map(({ id }) => id))})`);
  for (const { id } of worded) {
    await sql`insert into attribution_sum (attribution, span, start_ms, ${figures})
      select (${wordlessOf(sql`attribution_sum.attribution`)}), span, start_ms, ${figures} from attribution_sum where attribution = ${id}
      on conflict (attribution, span, start_ms) do update set ${sql.raw(addedOnConflict(engine, 'attribution_sum'))}`.execute(transaction);
    await transaction.deleteFrom('attribution_sum').where('attribution', '=', id).execute();
    await transaction.deleteFrom('attribution').where('id', '=', id).execute();
  }
  return true;
}

/** Call it once no sum has a word: in each of those dimensions all calls of a day are then without one, and their sum is the day's. */
export async function keepSumsWithoutWords(engine: Engine['kind'], transaction: Transaction<Schema>, organization: string): Promise<void> {
  const replaced = sql.join(figureColumnNames.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`));
  for (const dimension of [...wordsOf, hourlyLabels]) {
    const whole = dimension === hourlyLabels ? namedHours : 'day';
    await sql`insert into usage_sum (organization, dimension, day_ms, subject, ${figures})
      select organization, ${dimension}, day_ms, '', ${figures} from usage_sum where organization = ${organization} and dimension = ${whole}
      on conflict (organization, dimension, day_ms, subject) do update set ${replaced}`.execute(transaction);
  }
  await transaction.deleteFrom('word_sum').where('organization', '=', organization).where('dimension', '=', labelMonths).execute();
  const days = await transaction.selectFrom('usage_sum').select('day_ms').where('organization', '=', organization)
    .where('dimension', '=', 'day').orderBy('day_ms').execute();
  for (const { day_ms: dayMs } of days) {
    for (const [dimension, startMs, update] of [
      ['label', dayMs, replaced], [labelMonths, monthOf(Number(dayMs)), sql.raw(addedOnConflict(engine, 'word_sum'))],
    ] as const) {
      await sql`insert into word_sum (organization, dimension, subject, day_ms, attribution, ${figures})
        select ${organization}, ${dimension}, '', ${sql.lit(Number(startMs))}, attribution, ${figures} from attribution_sum
        where span = 'day' and start_ms = ${dayMs} and attribution in (select id from attribution where organization = ${organization})
        on conflict (organization, dimension, subject, day_ms, attribution) do update set ${update}`.execute(transaction);
    }
  }
}

async function addWordless(transaction: Transaction<Schema>, those: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ organization: string; key: string; wire: string; endpoint: string }>`
    select distinct organization, key, wire, endpoint from attribution where ${those}`.execute(transaction);
  if (rows.length === 0) return;
  await transaction.insertInto('attribution').values(rows.map((row) => ({ ...row, project: '', model: '' })))
    .onConflict((conflict) => conflict.doNothing()).execute();
}

function wordlessOf(attribution: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select bare.id from attribution as worded join attribution as bare on bare.organization = worded.organization
    and bare.key = worded.key and bare.project = '' and bare.model = '' and bare.wire = worded.wire and bare.endpoint = worded.endpoint
    where worded.id = ${attribution}`;
}
