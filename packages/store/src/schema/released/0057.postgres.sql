create table figure_proof (organization text collate "C" not null primary key, chain_through bigint not null, proved_ms bigint,
    whole_ms bigint, looked_ms bigint not null);
--
create table figure_difference (organization text collate "C" not null, kind text collate "C" not null, place text collate "C" not null,
    kept text collate "C" not null, derived text collate "C" not null, found_ms bigint not null, mended_ms bigint,
    primary key (organization, kind, place));
