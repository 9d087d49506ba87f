insert into refusal_entry (organization, id, answer_id, at_ms, "key", run, code, scope, "window") values
  ('org_kept', 'req_00000000000000000000000000000011', 'req_00000000000000000000000000000012', 1772150400000, 'key_kept', 'r0',
   'budget_exceeded', 'run', 'run');
