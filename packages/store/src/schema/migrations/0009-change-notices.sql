-- On PostgreSQL, listeners are notified when a transaction that changed settings or runs commits (rules: Snapshots). SQLite has no such thing:
-- its one server looks for itself.
-- postgres only
create function metergate_tell_change() returns trigger language plpgsql as
    $$ begin perform pg_notify('metergate_changes', tg_table_name); return null; end $$
-- postgres only
create trigger metergate_changed after update on "revision"
      for each statement execute function metergate_tell_change()
-- postgres only
create trigger metergate_changed after update on "run_feed"
      for each statement execute function metergate_tell_change()
