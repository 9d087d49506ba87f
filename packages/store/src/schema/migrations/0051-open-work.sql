-- Work that may still be asked for is found without reading all that was ever settled.
--
drop index deferred_work_due
--
create index deferred_work_open on deferred_work (organization, next_look_ms)
    where settled_by is null and part_of is null and began_by is not null and looks >= 0
