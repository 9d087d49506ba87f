create table journal_ahead (segment text not null, organization text not null, mark integer not null,
    primary key (segment, organization)) strict;
