-- Sums of labels and runs by day say in which hours of the day their calls started, so that the page of a rare label reads the records of those
-- hours alone. Rows written before do not say so: of their days all hours are looked through, as before.
--
alter table "word_sum" add column "hours" {whole}
