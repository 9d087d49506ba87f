alter table metergate_schema add column oldest_writer integer not null default 0;
--
alter table journal_segment add column writer integer;
--
alter table work_lease add column writer integer;
--
alter table gateway_node add column writer integer;
