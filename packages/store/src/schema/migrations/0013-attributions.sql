-- Reports by two dimensions, filters, and lists of calls by key, project, model, outcome and usage, fast at ten million calls.
-- An `attribution` is what calls have in common: key, project, model, wire and endpoint. Records refer to it by number, so that one narrow index
-- finds the calls of any of the five, alone or together. `attribution_sum` adds up each attribution's calls by day and by month, `word_sum` those
-- of each label and run by day; `usage_sum` gains the dimensions wire and endpoint and the figures that reports now have. All are made again from
-- the records, by SQL of this file only. Rare outcomes and usage have narrow indexes.
-- SQLite ends every index entry with the row's key, which `sequence` is; PostgreSQL must be told.
-- A call counts once under each of its labels, and under none where it has none.
--
alter table "call_record" add column "cache_savings_nano" {whole}
--
alter table "call_record" add column "attribution" {whole} default 0 not null
--
alter table "usage_sum" add column "cached_tokens" {whole} default 0 not null
--
alter table "usage_sum" add column "cache_write_tokens" {whole} default 0 not null
--
alter table "usage_sum" add column "reasoning_tokens" {whole} default 0 not null
--
alter table "usage_sum" add column "cache_savings_nano" {whole} default 0 not null
--
alter table "usage_sum" add column "saved_calls" {whole} default 0 not null
--
create table attribution (id {identity}, organization {text} not null, key {text} not null, project {text} not null, model {text} not null,
      wire {text} not null, endpoint {text} not null) {strict}
--
create unique index attribution_by_content on attribution (organization, key, project, model, wire, endpoint)
--
create table attribution_sum (attribution {whole} not null, span {text} not null, start_ms {whole} not null, calls {whole} not null, saved_calls
  {whole} not null, unknown_calls {whole} not null, unpriced_calls {whole} not null, gap_calls {whole} not null, input_tokens {whole} not null,
  cached_tokens {whole} not null, cache_write_tokens {whole} not null, output_tokens {whole} not null, reasoning_tokens {whole} not null, cost_nano
  {whole} not null, cache_savings_nano {whole} not null,
      primary key (attribution, span, start_ms)) {clustered}
--
create table word_sum (organization {text} not null, dimension {text} not null, subject {text} not null, day_ms {whole} not null,
      attribution {whole} not null, calls {whole} not null, saved_calls {whole} not null, unknown_calls {whole} not null, unpriced_calls {whole} not
        null, gap_calls {whole} not null, input_tokens {whole} not null, cached_tokens {whole} not null, cache_write_tokens {whole} not null,
        output_tokens {whole} not null, reasoning_tokens {whole} not null, cost_nano {whole} not null, cache_savings_nano {whole} not null, primary
        key (organization, dimension, subject, day_ms, attribution)) {clustered}
--
insert into attribution (organization, key, project, model, wire, endpoint)
      select distinct organization, key, substr(coalesce(project, ''), 1, 512), substr(coalesce(model, ''), 1, 512), wire, endpoint from call_record
--
update call_record as r set attribution = (select id from attribution as a where a.organization = r.organization and a.key = r.key
      and a.project = substr(coalesce(r.project, ''), 1, 512) and a.model = substr(coalesce(r.model, ''), 1, 512) and a.wire = r.wire and a.endpoint
        = r.endpoint)
--
create index call_record_by_attribution on call_record (attribution, started_at_ms{sequence})
--
create index call_record_by_outcome on call_record (organization, outcome, started_at_ms{sequence}) where outcome <> 'completed'
--
create index call_record_by_usage on call_record (organization, usage, started_at_ms{sequence}) where usage <> 'reported'
--
delete from usage_sum
--
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'day', started_at_ms - started_at_ms % 86400000, '', count(*), count(cache_savings_nano), sum(case when usage in
        ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end), count(cost_gaps), {sum input_tokens},
        {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens}, {sum cost_nano}, {sum cache_savings_nano} from
        call_record group by 1, 2, 3, 4
--
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'model', started_at_ms - started_at_ms % 86400000, substr(coalesce(model, ''), 1, 512), count(*),
        count(cache_savings_nano), sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1
        else 0 end), count(cost_gaps), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens},
        {sum reasoning_tokens}, {sum cost_nano}, {sum cache_savings_nano} from call_record group by 1, 2, 3, 4
--
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'key', started_at_ms - started_at_ms % 86400000, substr(coalesce(key, ''), 1, 512), count(*), count(cache_savings_nano),
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end),
        count(cost_gaps), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens},
        {sum cost_nano}, {sum cache_savings_nano} from call_record group by 1, 2, 3, 4
--
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'project', started_at_ms - started_at_ms % 86400000, substr(coalesce(project, ''), 1, 512), count(*),
        count(cache_savings_nano), sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1
        else 0 end), count(cost_gaps), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens},
        {sum reasoning_tokens}, {sum cost_nano}, {sum cache_savings_nano} from call_record group by 1, 2, 3, 4
--
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'run', started_at_ms - started_at_ms % 86400000, substr(coalesce(run, ''), 1, 512), count(*), count(cache_savings_nano),
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end),
        count(cost_gaps), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens},
        {sum cost_nano}, {sum cache_savings_nano} from call_record group by 1, 2, 3, 4
--
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'wire', started_at_ms - started_at_ms % 86400000, substr(coalesce(wire, ''), 1, 512), count(*),
        count(cache_savings_nano), sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1
        else 0 end), count(cost_gaps), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens},
        {sum reasoning_tokens}, {sum cost_nano}, {sum cache_savings_nano} from call_record group by 1, 2, 3, 4
--
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'endpoint', started_at_ms - started_at_ms % 86400000, substr(coalesce(endpoint, ''), 1, 512), count(*),
        count(cache_savings_nano), sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1
        else 0 end), count(cost_gaps), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens},
        {sum reasoning_tokens}, {sum cost_nano}, {sum cache_savings_nano} from call_record group by 1, 2, 3, 4
--
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'label', started_at_ms - started_at_ms % 86400000, substr(coalesce(label, ''), 1, 512), count(*),
        count(cache_savings_nano), sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1
        else 0 end), count(cost_gaps), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens},
        {sum reasoning_tokens}, {sum cost_nano}, {sum cache_savings_nano} from {labelled} group by 1, 2, 3, 4
--
insert into attribution_sum (attribution, span, start_ms, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens, cached_tokens,
  cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select attribution, 'day', started_at_ms - started_at_ms % 86400000, count(*), count(cache_savings_nano), sum(case when usage in ('unknown',
        'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end), count(cost_gaps), {sum input_tokens},
        {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens}, {sum cost_nano}, {sum cache_savings_nano} from
        call_record group by 1, 2, 3
--
insert into attribution_sum (attribution, span, start_ms, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens, cached_tokens,
  cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select attribution, 'month', {start of month: started_at_ms}, count(*), count(cache_savings_nano), sum(case when usage in ('unknown',
        'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end), count(cost_gaps), {sum input_tokens},
        {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens}, {sum cost_nano}, {sum cache_savings_nano} from
        call_record group by 1, 2, 3
--
insert into word_sum
      (organization, dimension, subject, day_ms, attribution, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
        cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'label', substr(coalesce(label, ''), 1, 512), started_at_ms - started_at_ms % 86400000, attribution, count(*),
        count(cache_savings_nano), sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1
        else 0 end), count(cost_gaps), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens},
        {sum reasoning_tokens}, {sum cost_nano}, {sum cache_savings_nano} from {labelled} where true group by 1, 2, 3, 4, 5
--
insert into word_sum
      (organization, dimension, subject, day_ms, attribution, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
        cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'run', substr(coalesce(run, ''), 1, 512), started_at_ms - started_at_ms % 86400000, attribution, count(*),
        count(cache_savings_nano), sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1
        else 0 end), count(cost_gaps), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens},
        {sum reasoning_tokens}, {sum cost_nano}, {sum cache_savings_nano} from call_record where run <> '' group by 1, 2, 3, 4, 5
