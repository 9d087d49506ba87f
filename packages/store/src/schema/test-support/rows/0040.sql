insert into named_upstream (organization, name, url, enabled, version, auth) values ('org_kept', 'kept', 'https://shop.example', 1, 1, 'bearer');
