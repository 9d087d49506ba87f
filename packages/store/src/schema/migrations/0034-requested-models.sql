-- The model that a call asked for, what was reported in other units than tokens, and whether the cost is by the model that was asked for. Calls
-- that were kept before have none of them: they were priced by the model that answered.
--
alter table "call_record" add column "requested_model" {text}
--
alter table "call_record" add column "units" {text}
--
alter table "call_record" add column "priced_by" {text}
