insert into closed_month (organization, month_ms, version, closed_at_ms, reopened_at_ms, sequence, hash, digest, key, signature)
  values ('org_kept', 1764547200000, 1, 1767312000000, null, 3, bytes'00ff', bytes'00ff', 'rky_kept', bytes'00ff');
insert into closed_month_part (organization, month_ms, version, number, type, content)
  values ('org_kept', 1764547200000, 1, 1, 'total', '{"type":"total"}');
insert into closed_month_name (organization, month_ms, version, number, digest, salt, text)
  values ('org_kept', 1764547200000, 1, 1, '00ff', '00ff', 'search');
