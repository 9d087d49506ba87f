insert into month_budget (id, organization, scope, subject, month_ms, amount_nano, at, told) values ('bud_kept', 'org_kept', 'label', 'team:kept', 0, 5000000000, '[50]', null);
