-- What the server that started last goes by beside the store: commands in another shell go by the same. One row; the settings are JSON text.
--
create table "server_settings" ("only" {whole} not null primary key, "settings" {text} not null) {strict}
