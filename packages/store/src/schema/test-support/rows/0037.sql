insert into price_list (id, json, imported_at_ms, in_force, revision) values ('2026-01-01/0123456789abcdef', '{}', 1767225600000, 0, 1);
