alter table "service_key" add column "disabled_by" text collate "C";
--
alter table "service_key" add column "disabled_by_at_ms" bigint;
--
update service_key set disabled_by_at_ms = disabled_at_ms, disabled_by = (
    select case when min(said.who) = max(said.who) then nullif(min(said.who), '') end from (
      select case when audit_event.actor_kind = 'person' then audit_event.actor_id else '' end as who, audit_event.sequence, audit_event.detail,
        max(case when audit_event.detail like '%"disabled":false%' then audit_event.sequence end) over () as enabled
      from audit_event where audit_event.organization = service_key.organization and audit_event.subject = service_key.id
        and audit_event.action = 'setKey'
    ) as said where said.detail like '%"disabled":true%' and said.sequence > coalesce(said.enabled, 0)
  ) where disabled_at_ms is not null;
--
create table "guest_change" ("made" bigint not null, "organization" text collate "C" not null, "person" text collate "C" not null, "change" text collate "C" not null, "becomes" text collate "C", constraint "guest_change_by_place" primary key ("made", "organization", "person"));
