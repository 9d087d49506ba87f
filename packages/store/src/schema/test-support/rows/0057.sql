insert into figure_proof (organization, chain_through, proved_ms, whole_ms, looked_ms) values ('org_kept', 2, 1767225600000, null, 1767225600000);
insert into figure_difference (organization, kind, place, kept, derived, found_ms, mended_ms)
  values ('org_kept', 'usage_sum', '2026-01-01T00 day', '1 0', '2 0', 1767225600000, null);
