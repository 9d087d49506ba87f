insert into organization (id, name, plan, drain_seconds, fallback_input_nano, fallback_output_nano, created_at_ms, revision)
  values ('org_kept', 'Kept', 'scale', 30, 2500000000, 10000000000, 1767225600000, 1);
insert into organization_data_key (organization, wrapped, wrapped_by) values ('org_kept', bytes'00ff10', 'fp');
insert into service_key (id, organization, hash, prefix, name, project, created_at_ms, expires_at_ms, revoked_at_ms)
  values ('key_kept', 'org_kept', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', 'svc_live_abcd', 'agent', 'search', 1767225600000, null, null),
    ('key_gone', 'org_kept', '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752', 'svc_live_efgh', null, null, 1767225600000, 1767225700000, 1767225800000);
insert into provider_connection (organization, provider, sealed, version) values ('org_kept', 'openai', bytes'0102', 3);
insert into declared_upstream (organization, url, enabled, sealed, version) values ('org_kept', 'https://llm.example', 1, bytes'0304', 2);
insert into price_overlay ("only", json, revision) values (1, '{"models":[]}', 1);
insert into journal_segment (id, mark) values ('seg_kept', 41);
insert into call_record (id, organization, key, project, labels, labels_dropped, run, wire, endpoint, method, path, started_at_ms, node, streamed,
    status, outcome, model, finish_reason, input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, usage, usage_reason,
    cost_nano, cost_source, price_list, provider_request_id, request_bytes, response_bytes, first_byte_ms, duration_ms)
  values ('req_00000000000000000000000000000001', 'org_kept', 'key_kept', 'search', '["a","b"]', 1, 'r1', 'openai', 'chat.completions', 'POST',
      '/v1/chat/completions', 1767225600001, 'node_kept', 1, 200, 'completed', 'gpt-5-mini', 'stop', 100, 20, 10, null, 5, 'reported', null,
      65000, 'priced', 'list', 'up_1', 300, 900, 12.5, 40.25),
    ('req_00000000000000000000000000000002', 'org_kept', 'key_kept', null, null, 0, null, 'anthropic', 'messages', 'POST',
      '/v1/messages', 1769904000000, 'node_kept', 0, 200, 'cut', 'claude-x', null, null, null, null, null, null, 'unknown', 'cut',
      null, 'none', null, null, 10, 0, null, 3),
    ('req_00000000000000000000000000000003', 'org_kept', 'key_gone', 'search', '["a"]', 0, null, 'openai', 'embeddings', 'POST',
      '/v1/embeddings', 1769904000001, 'node_kept', 0, 200, 'completed', 'unlisted', null, 7, 0, null, null, null, 'reported', null,
      null, 'unpriced', null, null, 10, 20, 1, 2);
