-- Lists are read a page at a time: an index in the order of each list, whose rows a page takes without looking at the others.
--
drop index service_key_by_organization
--
create index service_key_in_order on service_key (organization, created_at_ms, id)
--
create index membership_in_order on membership (organization, created_at_ms, person)
--
create index cap_in_order on cap (organization, made, id)
