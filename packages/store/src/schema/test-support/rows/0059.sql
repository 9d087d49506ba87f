update organization set own_keys = '{"keysMax":2,"models":null,"lifetimeMsMax":null,"cap":null}' where id = 'org_kept';
insert into machine_sign_in (id, challenge, machine, address, user_code, port, created_at_ms, expires_at_ms, state, organization, person, code_hash)
  values ('sgn_kept', 'challenge', 'laptop', '192.0.2.7', 'BCDFGHJK', null, 1767225600000, 1767226200000, 'open', null, null, null);
