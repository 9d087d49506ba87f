-- When a run's budget fell, and to what. Decision 200.
--
alter table "run" add column "lowered" {text}
