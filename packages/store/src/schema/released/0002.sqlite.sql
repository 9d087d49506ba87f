alter table "organization" add column "enforce_key_caps" integer default 0 not null;
--
alter table "organization" add column "max_run_budget_nano" integer;
--
alter table "organization" add column "run_ceiling_nano" integer;
--
alter table "organization" add column "run_exposure_nano" integer;
--
alter table "organization" add column "agreed_requests" integer;
--
alter table "organization" add column "agreed_tokens" integer;
--
alter table "service_key" add column "max_run_budget_nano" integer;
--
create table "cap" ("id" text not null primary key, "organization" text not null references "organization" ("id"), "scope" text not null, "subject" text default '' not null, "window" text not null, "limit_nano" integer not null, "mode" text not null, "made" integer not null, constraint "cap_of_subject" unique ("organization", "scope", "subject", "window")) strict;
--
create table "spend_sum" ("organization" text not null, "scope" text not null, "subject" text default '' not null, "window" text not null, "start_ms" integer not null, "spent_nano" integer not null, "calls" integer not null, "unknown_calls" integer not null, constraint "spend_sum_pk" primary key ("organization", "scope", "subject", "window", "start_ms")) strict, without rowid;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'day', started_at_ms - started_at_ms % 86400000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'day', started_at_ms - started_at_ms % 86400000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'day', started_at_ms - started_at_ms % 86400000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'week', started_at_ms - (started_at_ms + 259200000) % 604800000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'week', started_at_ms - (started_at_ms + 259200000) % 604800000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'week', started_at_ms - (started_at_ms + 259200000) % 604800000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'month', cast(strftime('%s', started_at_ms / 1000, 'unixepoch', 'start of month') as integer) * 1000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'month', cast(strftime('%s', started_at_ms / 1000, 'unixepoch', 'start of month') as integer) * 1000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'month', cast(strftime('%s', started_at_ms / 1000, 'unixepoch', 'start of month') as integer) * 1000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'year', cast(strftime('%s', started_at_ms / 1000, 'unixepoch', 'start of year') as integer) * 1000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'year', cast(strftime('%s', started_at_ms / 1000, 'unixepoch', 'start of year') as integer) * 1000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'year', cast(strftime('%s', started_at_ms / 1000, 'unixepoch', 'start of year') as integer) * 1000,
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'organization', '', 'lifetime', cast(0 as bigint),
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'key', key, 'lifetime', cast(0 as bigint),
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record  group by 1, 2, 3, 4, 5;
--
insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, 'project', project, 'lifetime', cast(0 as bigint),
          case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record where project is not null group by 1, 2, 3, 4, 5;
