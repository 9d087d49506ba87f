insert into corrected_spend (number, organization, key, day_ms, amount_nano, at_ms) values (1, 'org_kept', 'key_kept', 1767225600000, 7, 1767225600000);
