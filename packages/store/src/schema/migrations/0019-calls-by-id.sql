-- A call's record is found by its id at once. The index holds the last eight digits of ids: they count time, so that few records have the same,
-- and a narrow index that grows at one end adds little to what shipping costs. PostgreSQL's is a late one (`late-indexes.ts`).
-- sqlite only
create index call_record_by_id on call_record (substr(id, 29, 8))
