-- Who has proved their email, and which ways into an account are proved. An email that nobody proved to the deployment is only claimed: it moves
-- to a column of its own, and the person's id takes its place in the unique one, so that it reserves nothing. An email counts as proved if the
-- operator made a link for it, or if the provider verified it. An earlier version also counted links of an organization's owners, which prove an
-- email to that organization alone. A provider's way in that may have been made with an unverified email is not proved, and the person's sessions
-- end: the next sign-in with the verified email proves it.
-- The provider alone can have set the mark for a person who has no other way in.
--
alter table "person" add column "claimed_email" {text}
--
create index person_by_claimed_email on person (claimed_email) where claimed_email is not null
--
alter table "person_credential" add column "proof" {whole} default 1 not null
--
alter table "password_link" add column "made_in" {text}
--
update password_link set made_in = coalesce((select min(m.organization) from membership m where m.person = password_link.person), '')
--
update person set email_verified = 0 where email_verified = 1 and not (exists (select 1 from person_credential c where c.person = person.id and
  c.provider like 'oidc %')
    and not exists (select 1 from person_credential c where c.person = person.id and c.provider not like 'oidc %')) and id not in (
    select subject from audit_event where subject is not null
      and (action = 'linkIdentity' or (action = 'makePasswordLink' and actor_kind = 'operator')))
--
update person_credential set proof = 2 where person in (select id from person where email_verified = 1)
    and (provider = 'credential' or (select count(*) from person_credential c where c.person = person_credential.person) = 1)
--
update person_credential set proof = 0 where provider like 'oidc %' and proof = 1
--
update person set claimed_email = email, email = id where email_verified = 0
--
update person_session set expires_at_ms = 0 where person in (select person from person_credential where proof = 0)
