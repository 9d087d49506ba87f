-- What a call's cost lacks, its service tier, audio tokens and calls of tools, and in every sum how many calls have such a gap. Calls that were
-- kept before have none recorded: their gaps were not known.
--
alter table "call_record" add column "cost_gaps" {text}
--
alter table "call_record" add column "service_tier" {text}
--
alter table "call_record" add column "audio_input_tokens" {whole}
--
alter table "call_record" add column "audio_output_tokens" {whole}
--
alter table "call_record" add column "tool_calls" {text}
--
alter table "spend_sum" add column "gap_calls" {whole} default 0 not null
--
alter table "usage_sum" add column "gap_calls" {whole} default 0 not null
--
alter table "run" add column "gap_calls" {whole} default 0 not null
