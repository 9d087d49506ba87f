insert into receipt_chain (organization, sequence, hash, secret_sealed, "key", signed_last, signed_hash, signed_key, signed_at_ms, signature)
  values ('org_kept', 1, bytes'0102', bytes'03', 'rky_kept', 1, bytes'0102', 'rky_kept', 1767225600000, bytes'04');
insert into receipt_checkpoint (organization, kind, last, hash, "key", at_ms, signature)
  values ('org_kept', 'checkpoint', 1, bytes'0102', 'rky_kept', 1767225600000, bytes'04');
insert into receipt_key (id, organization, number, public_key, sealed, at_ms, signed_by_previous, signed_by_itself)
  values ('rky_kept', 'org_kept', 1, 'cHVibGlj', bytes'05', 1767225600000, null, null);
