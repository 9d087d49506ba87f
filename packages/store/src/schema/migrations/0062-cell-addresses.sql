-- Cells on servers of their own: the address of each, where it is not that of the directory. Decision 250.
--
alter table "cell" add column "address" {text} default '' not null
