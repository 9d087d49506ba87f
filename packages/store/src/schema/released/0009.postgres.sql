create function metergate_tell_change() returns trigger language plpgsql as
    $$ begin perform pg_notify('metergate_changes', tg_table_name); return null; end $$;
--
create trigger metergate_changed after update on "revision"
      for each statement execute function metergate_tell_change();
--
create trigger metergate_changed after update on "run_feed"
      for each statement execute function metergate_tell_change();
