-- Facts about the whole database, which every transaction reads with the actor's rights.

create table core.installation (
  one        boolean primary key default true check (one),
  id         uuid    not null default gen_random_uuid(),
  epoch      uuid    not null default gen_random_uuid(),
  replaced   uuid[]  not null default '{}',
  kept_until timestamptz,
  catalogue  bigint  not null default 1 check (catalogue > 0)
);

comment on table  core.installation is 'Facts about the database, in one row. Global.';
comment on column core.installation.one is 'Always true, so that there is one row.';
comment on column core.installation.id is 'Identifies the installation, also after a restore.';
comment on column core.installation.epoch is
  'Identifies the timeline of the data. A restore from a backup needs a new epoch, because it reuses versions.';
comment on column core.installation.replaced is 'Epochs that the present one replaced: of the data, and of a process that lost data.';
comment on column core.installation.kept_until is
  'Time until which a promotion, announced by an operator, does not begin a new epoch; null if none was announced.';
comment on column core.installation.catalogue is
  'Number of changes of the installed types and workflows; processes that know another number read them again.';

insert into core.installation default values;

grant select on core.installation to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant update (epoch, replaced, kept_until) on core.installation to fettle_auth;

create table core.installation_key (
  purpose       text        primary key check (purpose ~ '^[a-z][a-z_]{0,62}$'),
  version       integer     not null check (version > 0),
  fingerprint   bytea       not null check (octet_length(fingerprint) = 32),
  registered_at timestamptz not null default now()
);

comment on table  core.installation_key is
  'Fingerprints of the keys in the key file, so that a process with the keys of another database is noticed. Global.';
comment on column core.installation_key.purpose is 'Purpose of the key.';
comment on column core.installation_key.version is 'Newest version of the key that a process has had.';
comment on column core.installation_key.fingerprint is 'SHA-256 of purpose, version and key.';
comment on column core.installation_key.registered_at is 'Time at which a process first had this version.';

grant select on core.installation_key to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update, delete on core.installation_key to fettle_auth;
