insert into correction (id, organization, provider, day_ms, model, ours_nano, theirs_nano, bill, recorded_at_ms)
  values ('cor_kept', 'org_kept', 'openai', 1767225600000, 'gpt-6', 65000, 70000, 'abc', 1767312000000);
