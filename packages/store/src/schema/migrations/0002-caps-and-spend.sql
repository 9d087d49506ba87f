-- Spend caps, run policies, and the sums of spend by window.
-- `spend_sum` has one row for each subject and window in which a call started: a point read or a point write by its key, whatever the number of
-- records. On SQLite the table is its own index. Calls that were kept before are summed here, by SQL of this file only: a migration never runs code
-- that may change later. No reference to the organization: spend outlives it, as records do.
--
alter table "organization" add column "enforce_key_caps" {whole} default 0 not null
--
alter table "organization" add column "max_run_budget_nano" {whole}
--
alter table "organization" add column "run_ceiling_nano" {whole}
--
alter table "organization" add column "run_exposure_nano" {whole}
--
alter table "organization" add column "agreed_requests" {whole}
--
alter table "organization" add column "agreed_tokens" {whole}
--
alter table "service_key" add column "max_run_budget_nano" {whole}
--
create table "cap" ("id" {text} not null primary key, "organization" {text} not null references "organization" ("id"), "scope" {text} not null,
  "subject" {text} default '' not null, "window" {text} not null, "limit_nano" {whole} not null, "mode" {text} not null, "made" {whole} not null,
  constraint "cap_of_subject" unique ("organization", "scope", "subject", "window")) {strict}
--
create table "spend_sum" ("organization" {text} not null, "scope" {text} not null, "subject" {text} default '' not null, "window" {text} not null,
  "start_ms" {whole} not null, "spent_nano" {whole} not null, "calls" {whole} not null, "unknown_calls" {whole} not null, constraint "spend_sum_pk"
  primary key ("organization", "scope", "subject", "window", "start_ms")) {clustered}
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'day', started_at_ms - started_at_ms % 86400000,
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'day', started_at_ms - started_at_ms % 86400000,
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'day', started_at_ms - started_at_ms % 86400000,
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'week', started_at_ms - (started_at_ms + 259200000) % 604800000,
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'week', started_at_ms - (started_at_ms + 259200000) % 604800000,
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'week', started_at_ms - (started_at_ms + 259200000) % 604800000,
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'month', {start of month: started_at_ms},
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'month', {start of month: started_at_ms},
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'month', {start of month: started_at_ms},
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'year', {start of year: started_at_ms},
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'year', {start of year: started_at_ms},
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'year', {start of year: started_at_ms},
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'lifetime', cast(0 as bigint),
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'lifetime', cast(0 as bigint),
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record group by 1, 2, 3, 4, 5
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'lifetime', cast(0 as bigint),
          {sum cost_nano}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5
