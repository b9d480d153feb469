-- The channel that wakes workers. PostgreSQL 15 has no right to listen: every login of the database can, even a
-- reporting login, and payloads name lanes. The name of the channel is therefore a secret of the installation.

create table core.job_channel (
  only_row boolean primary key default true check (only_row),
  name     text    not null check (name ~ '^fettle_[0-9a-f]{32}$')
);

comment on table  core.job_channel is
  'The channel on which workers are notified; random, because every login of the database can listen. Global.';
comment on column core.job_channel.only_row is 'Always true: the table has one row.';
comment on column core.job_channel.name is 'Name of the channel.';

insert into core.job_channel (name)
values ('fettle_' || replace(gen_random_uuid()::text, '-', ''));

grant select on core.job_channel to fettle_worker, fettle_auth;
