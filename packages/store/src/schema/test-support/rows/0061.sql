insert into cell (number, name, schema, state, added_at_ms) values (0, 'default', '', 'open', 0);
insert into organization_place (organization, cell, ready) values ('org_elsewhere', 1, 1);
insert into key_place (hash, organization) values ('0011', 'org_elsewhere');
