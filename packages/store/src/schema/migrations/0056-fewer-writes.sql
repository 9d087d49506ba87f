-- Two things that make shipping to PostgreSQL cheaper (decision 205). Rows of sums are changed again and again: pages that are not filled keep
-- their new versions beside the old ones, and no index is written. And organizations may be shipped ahead of their segment, each with a mark of its
-- own.
-- Inserts fill 40 percent of a page.
-- sqlite only
create table journal_ahead (segment text not null, organization text not null, mark integer not null,
    primary key (segment, organization)) strict
-- postgres only
create table journal_ahead (segment text collate "C" not null, organization text collate "C" not null, mark bigint not null,
    primary key (segment, organization)) with (fillfactor = 40)
-- postgres only
alter table usage_sum set (fillfactor = 40)
-- postgres only
alter table attribution_sum set (fillfactor = 40)
-- postgres only
alter table word_sum set (fillfactor = 40)
-- postgres only
alter table hour_sum set (fillfactor = 40)
-- postgres only
alter table spend_day set (fillfactor = 40)
-- postgres only
alter table spend_lease set (fillfactor = 40)
-- postgres only
alter table run set (fillfactor = 40)
-- postgres only
alter table run_exposure set (fillfactor = 40)
-- postgres only
alter table receipt_chain set (fillfactor = 40)
-- postgres only
alter table journal_segment set (fillfactor = 40)
-- postgres only
alter table gateway_node set (fillfactor = 40)
-- postgres only
alter table node_report set (fillfactor = 40)
