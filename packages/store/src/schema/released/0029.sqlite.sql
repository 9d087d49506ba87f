create index "audit_event_by_subject" on "audit_event" ("organization", "subject", "sequence");
--
create index "audit_event_by_action" on "audit_event" ("organization", "action", "sequence");
--
create index "audit_event_by_subject_and_action" on "audit_event" ("organization", "subject", "action", "sequence");
--
create index "audit_event_by_time" on "audit_event" ("organization", "at_ms", "sequence");
