insert into refusal_hour (organization, hour_ms, key, code, scope, "window", refusals)
  values ('org_kept', 1767225600000, 'key_kept', 'budget_exceeded', 'organization', 'month', 3);
insert into node_report (home, node, at_ms, report) values ('home_kept', 'node_kept', 1767225600000, '{}');
insert into saved_view (id, organization, person, name, query, saved_at_ms)
  values ('viw_kept', 'org_kept', 'usr_kept', 'By model', 'by=model', 1767225600000);
