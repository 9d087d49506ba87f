alter table "call_record" add column "cost_gaps" text collate "C";
--
alter table "call_record" add column "service_tier" text collate "C";
--
alter table "call_record" add column "audio_input_tokens" bigint;
--
alter table "call_record" add column "audio_output_tokens" bigint;
--
alter table "call_record" add column "tool_calls" text collate "C";
--
alter table "spend_sum" add column "gap_calls" bigint default 0 not null;
--
alter table "usage_sum" add column "gap_calls" bigint default 0 not null;
--
alter table "run" add column "gap_calls" bigint default 0 not null;
