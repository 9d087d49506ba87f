insert into cap_alert (id, organization, cap, at) values ('alt_kept', 'org_kept', 'cap_kept', '[50]');
insert into cap_told (cap, organization, window_start_ms, reached, thresholds) values ('cap_kept', 'org_kept', 0, 1, '[50]');
insert into webhook (id, organization, url, events, sealed, created_at_ms)
  values ('whk_kept', 'org_kept', 'https://hooks.example/x', null, bytes'01', 1767225600000);
insert into notice (id, organization, type, dedupe, body, at_ms) values ('msg_kept', 'org_kept', 'cap.reached', 'x', '{}', 1767225600000);
insert into webhook_delivery (id, organization, webhook, notice, state, attempts, created_at_ms, next_at_ms, last_at_ms, last_status, last_error)
  values ('dlv_kept', 'org_kept', 'whk_kept', 'msg_kept', 'pending', 1, 1767225600000, 1767225605000, 1767225600000, 500, null);
insert into work_lease (name, holder, until_ms, cursor) values ('alerts', 'plt_kept', 1767225600000, 0);
