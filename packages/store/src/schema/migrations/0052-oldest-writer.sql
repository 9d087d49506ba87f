-- The store states the oldest version whose batches it takes (decision 0104). Whoever ships a batch or takes a lease on work names its own
-- version in the row that it inserts first. Older versions name none, and are told no by PostgreSQL, since their code cannot know. A node that says
-- which it is can be named to an operator. On SQLite only one version runs at a time: a start holds the file's lock.
--
alter table metergate_schema add column oldest_writer {whole} not null default 0
--
alter table journal_segment add column writer {whole}
--
alter table work_lease add column writer {whole}
--
alter table gateway_node add column writer {whole}
-- postgres only
create function refuse_older_writers() returns trigger language plpgsql as $body$ begin
    if new.writer is null or new.writer < (select oldest_writer from metergate_schema) then
      raise exception using errcode = 'TOOLD', message = 'the store was upgraded and takes nothing from this version';
    end if;
    return new;
  end $body$
-- postgres only
create trigger of_older_writers before insert on journal_segment for each row execute function refuse_older_writers()
-- postgres only
create trigger of_older_writers before insert on work_lease for each row execute function refuse_older_writers()
