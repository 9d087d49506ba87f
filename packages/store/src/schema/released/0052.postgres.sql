alter table metergate_schema add column oldest_writer bigint not null default 0;
--
alter table journal_segment add column writer bigint;
--
alter table work_lease add column writer bigint;
--
alter table gateway_node add column writer bigint;
--
create function refuse_older_writers() returns trigger language plpgsql as $body$ begin
    if new.writer is null or new.writer < (select oldest_writer from metergate_schema) then
      raise exception using errcode = 'TOOLD', message = 'the store was upgraded and takes nothing from this version';
    end if;
    return new;
  end $body$;
--
create trigger of_older_writers before insert on journal_segment for each row execute function refuse_older_writers();
--
create trigger of_older_writers before insert on work_lease for each row execute function refuse_older_writers();
