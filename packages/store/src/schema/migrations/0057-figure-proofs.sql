-- How far the figures of each organization are proved by its records, and what was found that is not. Decision 207.
--
create table figure_proof (organization {text} not null primary key, chain_through {whole} not null, proved_ms {whole},
    whole_ms {whole}, looked_ms {whole} not null) {strict}
--
create table figure_difference (organization {text} not null, kind {text} not null, place {text} not null,
    kept {text} not null, derived {text} not null, found_ms {whole} not null, mended_ms {whole},
    primary key (organization, kind, place)) {strict}
