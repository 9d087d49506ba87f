-- Who made a change, in words beside the id; where the platform was last reached, so that a link made by the command leads there.
--
alter table "audit_event" add column "actor_name" {text}
--
create table "platform_address" ("only" {whole} primary key check ("only" = 1), "url" {text} not null) {strict}
