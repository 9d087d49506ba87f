-- Figures that every call changes stand side by side in sums on PostgreSQL. Its log holds what lies between the first and the last byte that an
-- update changes, and between calls and tokens there were four figures that hardly ever change (decision 0285). On SQLite nothing changes: its log
-- holds whole pages.
-- The columns are made anew at the end, not the tables: grants on the whole table, and where it is on Citus, stay. Grants on one of these columns
-- are given again, and a view of an operator's own that reads one holds the upgrade up (`upgrade-dependants.ts`). Pages are filled to 40 %, so a
-- row finds room for its new version beside it; those that were full before schema 56 have none, and their rows' new versions go to other pages.
-- What changes more often comes first.
-- postgres only
select set_config('metergate.column_grants', (
  select json_agg(format('grant %s (%I) on %s to %s%s', granted.privilege_type, held.attname, held.attrelid::regclass,
    case granted.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(granted.grantee)) end,
    case when granted.is_grantable then ' with grant option' else '' end))::text
  from pg_attribute held, aclexplode(held.attacl) granted
  where held.attrelid in ('attribution_sum'::regclass, 'word_sum'::regclass) and held.attname in
    ('cached_tokens', 'saved_calls', 'reasoning_tokens', 'cache_write_tokens', 'unknown_calls', 'unpriced_calls', 'gap_calls')), true)
-- postgres only
alter table attribution_sum add column cached_tokens_ bigint not null default 0, add column saved_calls_ bigint not null default 0, add column
  reasoning_tokens_ bigint not null default 0, add column cache_write_tokens_ bigint not null default 0, add column unknown_calls_ bigint not null
  default 0, add column unpriced_calls_ bigint not null default 0, add column gap_calls_ bigint not null default 0
-- postgres only
update attribution_sum set cached_tokens_ = cached_tokens, saved_calls_ = saved_calls, reasoning_tokens_ = reasoning_tokens, cache_write_tokens_ =
  cache_write_tokens, unknown_calls_ = unknown_calls, unpriced_calls_ = unpriced_calls, gap_calls_ = gap_calls
-- postgres only
alter table attribution_sum alter column cached_tokens_ drop default, drop column cached_tokens, alter column saved_calls_ drop default, drop column
  saved_calls, alter column reasoning_tokens_ drop default, drop column reasoning_tokens, alter column cache_write_tokens_ drop default, drop column
  cache_write_tokens, alter column unknown_calls_ drop default, drop column unknown_calls, alter column unpriced_calls_ drop default, drop column
  unpriced_calls, alter column gap_calls_ drop default, drop column gap_calls
-- postgres only
alter table attribution_sum rename column cached_tokens_ to cached_tokens
-- postgres only
alter table attribution_sum rename column saved_calls_ to saved_calls
-- postgres only
alter table attribution_sum rename column reasoning_tokens_ to reasoning_tokens
-- postgres only
alter table attribution_sum rename column cache_write_tokens_ to cache_write_tokens
-- postgres only
alter table attribution_sum rename column unknown_calls_ to unknown_calls
-- postgres only
alter table attribution_sum rename column unpriced_calls_ to unpriced_calls
-- postgres only
alter table attribution_sum rename column gap_calls_ to gap_calls
-- postgres only
alter table word_sum add column cached_tokens_ bigint not null default 0, add column saved_calls_ bigint not null default 0, add column
  reasoning_tokens_ bigint not null default 0, add column cache_write_tokens_ bigint not null default 0, add column unknown_calls_ bigint not null
  default 0, add column unpriced_calls_ bigint not null default 0, add column gap_calls_ bigint not null default 0
-- postgres only
update word_sum set cached_tokens_ = cached_tokens, saved_calls_ = saved_calls, reasoning_tokens_ = reasoning_tokens, cache_write_tokens_ =
  cache_write_tokens, unknown_calls_ = unknown_calls, unpriced_calls_ = unpriced_calls, gap_calls_ = gap_calls
-- postgres only
alter table word_sum alter column cached_tokens_ drop default, drop column cached_tokens, alter column saved_calls_ drop default, drop column
  saved_calls, alter column reasoning_tokens_ drop default, drop column reasoning_tokens, alter column cache_write_tokens_ drop default, drop column
  cache_write_tokens, alter column unknown_calls_ drop default, drop column unknown_calls, alter column unpriced_calls_ drop default, drop column
  unpriced_calls, alter column gap_calls_ drop default, drop column gap_calls
-- postgres only
alter table word_sum rename column cached_tokens_ to cached_tokens
-- postgres only
alter table word_sum rename column saved_calls_ to saved_calls
-- postgres only
alter table word_sum rename column reasoning_tokens_ to reasoning_tokens
-- postgres only
alter table word_sum rename column cache_write_tokens_ to cache_write_tokens
-- postgres only
alter table word_sum rename column unknown_calls_ to unknown_calls
-- postgres only
alter table word_sum rename column unpriced_calls_ to unpriced_calls
-- postgres only
alter table word_sum rename column gap_calls_ to gap_calls
-- postgres only
do $body$ declare given text; begin
  for given in select json_array_elements_text(nullif(current_setting('metergate.column_grants', true), '')::json) loop execute given; end loop;
end $body$
