insert into guest_change (made, organization, person, change, becomes) values (1, 'org_elsewhere', 'person_left', 'end', null);
