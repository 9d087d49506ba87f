insert into service_key_former (hash, key, until_ms) values ('6d1a', 'key_kept', 1790000000000);
insert into password_link (token_hash, person, expires_at_ms) values ('9f2c', 'person_kept', 1790000000000);
