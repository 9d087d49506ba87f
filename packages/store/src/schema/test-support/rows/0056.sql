insert into journal_ahead (segment, organization, mark) values ('seg_old', 'org_old', 2);
