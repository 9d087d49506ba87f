insert into allocation_rules (organization, json) values ('org_kept', '{"rules":[]}');
