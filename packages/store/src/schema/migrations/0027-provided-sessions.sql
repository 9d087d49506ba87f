-- Sessions that an identity provider vouched for know its issuer: they last shorter than others (decision 75).
--
alter table "person_session" add column "provided_by" {text}
