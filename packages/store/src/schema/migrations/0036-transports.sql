-- How a call was carried, and of a response on a WebSocket connection the id of the handshake's record. Calls kept before came over HTTP.
--
alter table "call_record" add column "transport" {text}
--
alter table "call_record" add column "connection" {text}
