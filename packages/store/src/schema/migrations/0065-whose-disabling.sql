-- Who disabled a service key, where a person did, and what changes of memberships left to be done in the other cells. Decisions 299 and 300. The
-- audit trail kept who disabled the keys that are disabled now.
-- A key was disabled by whoever did it since it was enabled last, if that was one person alone: who says again what another did has not done it. A
-- change without its words in the trail is of an erased organization, whose keys are gone.
--
alter table "service_key" add column "disabled_by" {text}
--
alter table "service_key" add column "disabled_by_at_ms" {whole}
--
update service_key set disabled_by_at_ms = disabled_at_ms, disabled_by = (
    select case when min(said.who) = max(said.who) then nullif(min(said.who), '') end from (
      select case when audit_event.actor_kind = 'person' then audit_event.actor_id else '' end as who, audit_event.sequence, audit_event.detail,
        max(case when audit_event.detail like '%"disabled":false%' then audit_event.sequence end) over () as enabled
      from audit_event where audit_event.organization = service_key.organization and audit_event.subject = service_key.id
        and audit_event.action = 'setKey'
    ) as said where said.detail like '%"disabled":true%' and said.sequence > coalesce(said.enabled, 0)
  ) where disabled_at_ms is not null
--
create table "guest_change" ("made" {whole} not null, "organization" {text} not null, "person" {text} not null, "change" {text} not null, "becomes"
  {text}, constraint "guest_change_by_place" primary key ("made", "organization", "person")) {strict}
