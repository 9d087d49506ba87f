insert into cap (id, organization, scope, subject, "window", limit_nano, mode, made)
  values ('cap_kept', 'org_kept', 'organization', '', 'month', 5000000000, 'refuse', 1);
