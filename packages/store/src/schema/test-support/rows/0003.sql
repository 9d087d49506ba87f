insert into run_exposure (organization, taken_nano) values ('org_kept', '1935000');
insert into run (organization, id, state, declared_nano, effective_nano, clamp_reason, spent_nano, unknown_calls, started_at_ms, expires_at_ms,
    ended_at_ms, confirmed, last_call_at_ms, change)
  values ('org_kept', 'r1', 'live', 2000000, 2000000, null, 65000, 0, 1767225600001, null, null, 1, 1767225600001, 0),
    ('org_kept', 'r0', 'closed', null, null, null, 0, 0, 1767225600000, null, 1767225600500, 1, 1767225600000, 1);
insert into grant_key (id, organization, public_key, sealed, created_at_ms) values ('gk_kept', 'org_kept', 'cHVibGlj', bytes'0506', 1767225600000);
