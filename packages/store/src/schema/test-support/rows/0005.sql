insert into person (id, email, name, email_verified, image, created_at_ms, updated_at_ms)
  values ('person_kept', 'kept@example.com', 'kept', 1, null, 1767225600000, 1767225600000);
insert into person_credential (id, person, provider, account, password_hash, created_at_ms, updated_at_ms)
  values ('cred_kept', 'person_kept', 'credential', 'person_kept', 'scrypt', 1767225600000, 1767225600000);
insert into person_session (id, person, token_hash, organization, ip_address, user_agent, expires_at_ms, created_at_ms, updated_at_ms)
  values ('sess_kept', 'person_kept', 'aa', 'org_kept', '127.0.0.1', 'kept', 1893456000000, 1767225600000, 1767225600000);
insert into membership (organization, person, role, created_at_ms) values ('org_kept', 'person_kept', 'owner', 1767225600000);
insert into invitation (id, organization, email, role, token_hash, invited_by, created_at_ms, expires_at_ms, accepted_at_ms, withdrawn_at_ms)
  values ('inv_kept', 'org_kept', 'new@example.com', 'viewer', 'bb', 'person_kept', 1767225600000, 1767830400000, null, null);
insert into management_token (id, organization, hash, prefix, name, role, made_by_person, created_at_ms, expires_at_ms, revoked_at_ms)
  values ('tok_kept', 'org_kept', 'cc', 'svc_mgmt_abcd', 'ci', 'admin', 'person_kept', 1767225600000, null, null);
insert into audit_event (id, organization, at_ms, actor_kind, actor_id, action, subject, detail)
  values ('aud_kept', 'org_kept', 1767225600000, 'person', 'person_kept', 'createKey', 'key_kept', '{"name":"agent"}');
insert into organization (id, name, plan, created_at_ms, revision) values ('org_erased', 'org_erased', 'free', 1767225600000, 2);
insert into erased_organization (organization, at_ms, done_ms, done_sequence, finished) values ('org_erased', 1767225600000, 0, 0, 1);
insert into master_key_handover (from_key, sealed, until_ms) values ('dd', bytes'0708', 1767225600000);
