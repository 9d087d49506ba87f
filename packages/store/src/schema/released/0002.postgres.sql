alter table "organization" add column "enforce_key_caps" bigint default 0 not null;
--
alter table "organization" add column "max_run_budget_nano" bigint;
--
alter table "organization" add column "run_ceiling_nano" bigint;
--
alter table "organization" add column "run_exposure_nano" bigint;
--
alter table "organization" add column "agreed_requests" bigint;
--
alter table "organization" add column "agreed_tokens" bigint;
--
alter table "service_key" add column "max_run_budget_nano" bigint;
--
create table "cap" ("id" text collate "C" not null primary key, "organization" text collate "C" not null references "organization" ("id"), "scope" text collate "C" not null, "subject" text collate "C" default '' not null, "window" text collate "C" not null, "limit_nano" bigint not null, "mode" text collate "C" not null, "made" bigint not null, constraint "cap_of_subject" unique ("organization", "scope", "subject", "window"));
--
create table "spend_sum" ("organization" text collate "C" not null, "scope" text collate "C" not null, "subject" text collate "C" default '' not null, "window" text collate "C" not null, "start_ms" bigint not null, "spent_nano" bigint not null, "calls" bigint not null, "unknown_calls" bigint not null, constraint "spend_sum_pk" primary key ("organization", "scope", "subject", "window", "start_ms"));
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'day', started_at_ms - started_at_ms % 86400000,
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'day', started_at_ms - started_at_ms % 86400000,
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'day', started_at_ms - started_at_ms % 86400000,
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'week', started_at_ms - (started_at_ms + 259200000) % 604800000,
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'week', started_at_ms - (started_at_ms + 259200000) % 604800000,
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'week', started_at_ms - (started_at_ms + 259200000) % 604800000,
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'month', cast(extract(epoch from date_trunc('month', to_timestamp(started_at_ms / 1000) at time zone 'UTC')) * 1000 as bigint),
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'month', cast(extract(epoch from date_trunc('month', to_timestamp(started_at_ms / 1000) at time zone 'UTC')) * 1000 as bigint),
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'month', cast(extract(epoch from date_trunc('month', to_timestamp(started_at_ms / 1000) at time zone 'UTC')) * 1000 as bigint),
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'year', cast(extract(epoch from date_trunc('year', to_timestamp(started_at_ms / 1000) at time zone 'UTC')) * 1000 as bigint),
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'year', cast(extract(epoch from date_trunc('year', to_timestamp(started_at_ms / 1000) at time zone 'UTC')) * 1000 as bigint),
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'year', cast(extract(epoch from date_trunc('year', to_timestamp(started_at_ms / 1000) at time zone 'UTC')) * 1000 as bigint),
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'lifetime', cast(0 as bigint),
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'lifetime', cast(0 as bigint),
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'lifetime', cast(0 as bigint),
          cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint), count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5;
