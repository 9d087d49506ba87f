create table figure_proof (organization text not null primary key, chain_through integer not null, proved_ms integer,
    whole_ms integer, looked_ms integer not null) strict;
--
create table figure_difference (organization text not null, kind text not null, place text not null,
    kept text not null, derived text not null, found_ms integer not null, mended_ms integer,
    primary key (organization, kind, place)) strict;
