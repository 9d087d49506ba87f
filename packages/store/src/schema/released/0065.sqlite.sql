alter table "service_key" add column "disabled_by" text;
--
update service_key set disabled_by = (
    select case when audit_event.actor_kind = 'person' then audit_event.actor_id end from audit_event
    where audit_event.organization = service_key.organization and audit_event.subject = service_key.id and audit_event.action = 'setKey'
      and audit_event.detail like '%"disabled":true%'
    order by audit_event.sequence desc limit 1
  ) where disabled_at_ms is not null;
--
create table "guest_change" ("made" integer not null, "organization" text not null, "person" text not null, "change" text not null, "becomes" text, constraint "guest_change_by_place" primary key ("made", "organization", "person")) strict;
