insert into deferred_work (organization, wire, work, began_ms, looks) values ('org_kept', 'openai', 'batch_kept', 1767225600000, 0);
