insert into gateway_node (id, home, started_at_ms, heard_at_ms, freed) values ('node_kept', 'home_kept', 1767225600000, 1767225600000, 0);
insert into spend_lease (organization, scope, subject, "window", start_ms, node, granted_nano, shipped_nano, limit_nano, claim, short_at_ms)
  values ('org_kept', 'organization', '', 'month', 1767225600000, 'node_kept', 100000, 65000, 5000000000, 1, 0);
