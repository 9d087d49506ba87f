-- What a node has spent of a lease and not shipped yet, as it said when it last asked, and what its calls under way may add to that: both are
-- kept from all other nodes, also while the node is silent.
--
alter table "spend_lease" add column "settled_nano" {whole} default 0 not null
--
alter table "spend_lease" add column "under_way_nano" {whole} default 0 not null
--
alter table "spend_lease" add column "doubtful_at_ms" {whole} default 0 not null
