alter table "service_key" add column "disabled_by" text collate "C";
--
update service_key set disabled_by = (
    select case when audit_event.actor_kind = 'person' then audit_event.actor_id end from audit_event
    where audit_event.organization = service_key.organization and audit_event.subject = service_key.id and audit_event.action = 'setKey'
      and audit_event.detail like '%"disabled":true%'
    order by audit_event.sequence desc limit 1
  ) where disabled_at_ms is not null;
--
create table "guest_change" ("made" bigint not null, "organization" text collate "C" not null, "person" text collate "C" not null, "change" text collate "C" not null, "becomes" text collate "C", constraint "guest_change_by_place" primary key ("made", "organization", "person"));
