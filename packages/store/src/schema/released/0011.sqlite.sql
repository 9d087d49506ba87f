alter table "call_record" add column "cost_gaps" text;
--
alter table "call_record" add column "service_tier" text;
--
alter table "call_record" add column "audio_input_tokens" integer;
--
alter table "call_record" add column "audio_output_tokens" integer;
--
alter table "call_record" add column "tool_calls" text;
--
alter table "spend_sum" add column "gap_calls" integer default 0 not null;
--
alter table "usage_sum" add column "gap_calls" integer default 0 not null;
--
alter table "run" add column "gap_calls" integer default 0 not null;
