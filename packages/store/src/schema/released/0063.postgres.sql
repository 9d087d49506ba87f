alter table attribution_sum add column cached_tokens_ bigint not null default 0, add column saved_calls_ bigint not null default 0, add column reasoning_tokens_ bigint not null default 0, add column cache_write_tokens_ bigint not null default 0, add column unknown_calls_ bigint not null default 0, add column unpriced_calls_ bigint not null default 0, add column gap_calls_ bigint not null default 0;
--
update attribution_sum set cached_tokens_ = cached_tokens, saved_calls_ = saved_calls, reasoning_tokens_ = reasoning_tokens, cache_write_tokens_ = cache_write_tokens, unknown_calls_ = unknown_calls, unpriced_calls_ = unpriced_calls, gap_calls_ = gap_calls;
--
alter table attribution_sum alter column cached_tokens_ drop default, drop column cached_tokens, alter column saved_calls_ drop default, drop column saved_calls, alter column reasoning_tokens_ drop default, drop column reasoning_tokens, alter column cache_write_tokens_ drop default, drop column cache_write_tokens, alter column unknown_calls_ drop default, drop column unknown_calls, alter column unpriced_calls_ drop default, drop column unpriced_calls, alter column gap_calls_ drop default, drop column gap_calls;
--
alter table attribution_sum rename column cached_tokens_ to cached_tokens;
--
alter table attribution_sum rename column saved_calls_ to saved_calls;
--
alter table attribution_sum rename column reasoning_tokens_ to reasoning_tokens;
--
alter table attribution_sum rename column cache_write_tokens_ to cache_write_tokens;
--
alter table attribution_sum rename column unknown_calls_ to unknown_calls;
--
alter table attribution_sum rename column unpriced_calls_ to unpriced_calls;
--
alter table attribution_sum rename column gap_calls_ to gap_calls;
--
alter table word_sum add column cached_tokens_ bigint not null default 0, add column saved_calls_ bigint not null default 0, add column reasoning_tokens_ bigint not null default 0, add column cache_write_tokens_ bigint not null default 0, add column unknown_calls_ bigint not null default 0, add column unpriced_calls_ bigint not null default 0, add column gap_calls_ bigint not null default 0;
--
update word_sum set cached_tokens_ = cached_tokens, saved_calls_ = saved_calls, reasoning_tokens_ = reasoning_tokens, cache_write_tokens_ = cache_write_tokens, unknown_calls_ = unknown_calls, unpriced_calls_ = unpriced_calls, gap_calls_ = gap_calls;
--
alter table word_sum alter column cached_tokens_ drop default, drop column cached_tokens, alter column saved_calls_ drop default, drop column saved_calls, alter column reasoning_tokens_ drop default, drop column reasoning_tokens, alter column cache_write_tokens_ drop default, drop column cache_write_tokens, alter column unknown_calls_ drop default, drop column unknown_calls, alter column unpriced_calls_ drop default, drop column unpriced_calls, alter column gap_calls_ drop default, drop column gap_calls;
--
alter table word_sum rename column cached_tokens_ to cached_tokens;
--
alter table word_sum rename column saved_calls_ to saved_calls;
--
alter table word_sum rename column reasoning_tokens_ to reasoning_tokens;
--
alter table word_sum rename column cache_write_tokens_ to cache_write_tokens;
--
alter table word_sum rename column unknown_calls_ to unknown_calls;
--
alter table word_sum rename column unpriced_calls_ to unpriced_calls;
--
alter table word_sum rename column gap_calls_ to gap_calls;
