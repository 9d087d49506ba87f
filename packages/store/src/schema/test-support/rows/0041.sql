insert into call_correction (sequence, organization, started_at_ms, recorded_nano, cost_nano, cost_gaps, price_list, corrected_at_ms)
  values (1, 'org_kept', 1767225600000, 65000, 70000, null, '2026-01-01/0123456789abcdef', 1767312000000);
