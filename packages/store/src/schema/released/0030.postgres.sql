alter table "person" add column "claimed_email" text collate "C";
--
create index person_by_claimed_email on person (claimed_email) where claimed_email is not null;
--
alter table "person_credential" add column "proof" bigint default 1 not null;
--
alter table "password_link" add column "made_in" text collate "C";
--
update password_link set made_in = coalesce((select min(m.organization) from membership m where m.person = password_link.person), '');
--
update person set email_verified = 0 where email_verified = 1 and not (exists (select 1 from person_credential c where c.person = person.id and c.provider like 'oidc %')
    and not exists (select 1 from person_credential c where c.person = person.id and c.provider not like 'oidc %')) and id not in (
    select subject from audit_event where subject is not null
      and (action = 'linkIdentity' or (action = 'makePasswordLink' and actor_kind = 'operator')));
--
update person_credential set proof = 2 where person in (select id from person where email_verified = 1)
    and (provider = 'credential' or (select count(*) from person_credential c where c.person = person_credential.person) = 1);
--
update person_credential set proof = 0 where provider like 'oidc %' and proof = 1;
--
update person set claimed_email = email, email = id where email_verified = 0;
--
update person_session set expires_at_ms = 0 where person in (select person from person_credential where proof = 0);
