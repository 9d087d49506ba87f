insert into retention (organization, gone_before_ms, receipt_through, removed_records, removed_events, at_ms)
  values ('org_kept', null, 0, 0, 0, 1769904000000);
