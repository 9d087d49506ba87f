create table journal_ahead (segment text collate "C" not null, organization text collate "C" not null, mark bigint not null,
    primary key (segment, organization)) with (fillfactor = 40);
--
alter table usage_sum set (fillfactor = 40);
--
alter table attribution_sum set (fillfactor = 40);
--
alter table word_sum set (fillfactor = 40);
--
alter table hour_sum set (fillfactor = 40);
--
alter table spend_day set (fillfactor = 40);
--
alter table spend_lease set (fillfactor = 40);
--
alter table run set (fillfactor = 40);
--
alter table run_exposure set (fillfactor = 40);
--
alter table receipt_chain set (fillfactor = 40);
--
alter table journal_segment set (fillfactor = 40);
--
alter table gateway_node set (fillfactor = 40);
--
alter table node_report set (fillfactor = 40);
