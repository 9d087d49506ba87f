-- The changes of one subject, of one kind, and of both are found in the trail's order; those since a moment are counted without the others.
--
create index "audit_event_by_subject" on "audit_event" ("organization", "subject", "sequence")
--
create index "audit_event_by_action" on "audit_event" ("organization", "action", "sequence")
--
create index "audit_event_by_subject_and_action" on "audit_event" ("organization", "subject", "action", "sequence")
--
create index "audit_event_by_time" on "audit_event" ("organization", "at_ms", "sequence")
