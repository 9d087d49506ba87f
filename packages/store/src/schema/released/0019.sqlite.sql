create index call_record_by_id on call_record (substr(id, 29, 8));
