insert into baseline (id, organization, key_hash, key_prefix, key_version, sealed, created_at_ms, first_day_ms, retired_at_ms, replaced_at_ms, erased_at_ms)
  values ('asm_kept', 'org_kept', 'ff', 'svc_tap_abcd', 1, null, 1767225600000, 1767312000000, null, null, null);
insert into tap_event (baseline, request_id, at_ms, provider, model, tag, input_tokens, output_tokens, cached_tokens, stop_reason, tool_calls, status,
    retries, latency_ms, requests_limit, requests_remaining, tokens_limit, tokens_remaining)
  values (1, 'chatcmpl-1', 1767312000500, 'openai', 'gpt-5-mini', 'unit', 10, 5, 0, 'stop', 0, 200, 0, 90, null, null, 1000, 900);
insert into tap_cell (baseline, day_ms, provider, model, tag, band, calls, input_tokens, output_tokens, cached_tokens, fresh_tokens, tool_calls, retries,
    failures, rate_limited, server_errors, no_response, stop_stop, stop_length, stop_tool_calls, stop_content_filter, stop_error, stop_other)
  values (1, 1767312000000, 'openai', 'gpt-5-mini', 'unit', 0, 1, 10, 5, 0, 10, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0);
insert into tap_latency (baseline, part, counts) values (1, 'openai', '{"90":1}');
insert into tap_headroom (baseline, provider, model, kind, most, remaining, at_ms) values (1, 'openai', 'gpt-5-mini', 'tokens', 1000, 900, 1767312000500);
insert into declared_figure (baseline, name, amount_nano, at_ms) values (1, 'seats', 1000000000, 1767312000500);
