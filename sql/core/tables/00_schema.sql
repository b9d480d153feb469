-- The schemas of the engine, and the migrator's records of them.

create schema core;
create schema report;

comment on schema core is 'The engine: companies, people, rights, history, feed and jobs.';
comment on schema report is 'Reports: views for operators, dashboards and exports.';

grant usage on schema core to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant usage on schema report
  to fettle_report, fettle_report_company, fettle_app, fettle_worker, fettle_admin;

create table core.migration (
  app         text        not null check (app <> ''),
  kind        text        not null check (kind in ('tables', 'change')),
  number      integer     not null check (number >= 0),
  name        text        not null check (name <> ''),
  checksum    bytea       not null check (octet_length(checksum) = 32),
  applied_at  timestamptz not null default now(),
  duration_ms bigint      not null check (duration_ms >= 0),
  primary key (app, kind, number)
);

comment on table  core.migration is 'Files of tables and of changes that were applied, each once. Global.';
comment on column core.migration.app is 'Whose schema it belongs to: core, or an app.';
comment on column core.migration.kind is 'tables: the baseline of a topic; change: a later step.';
comment on column core.migration.number is 'Its number among the files of the app and kind.';
comment on column core.migration.name is 'Its file name, without the number.';
comment on column core.migration.checksum is 'SHA-256 of the file as it was applied.';
comment on column core.migration.applied_at is 'When it was applied.';
comment on column core.migration.duration_ms is 'How long it took.';

grant select on core.migration to fettle_app, fettle_worker, fettle_admin;

create table core.routine (
  app         text        not null check (app <> ''),
  name        text        primary key check (name ~ '^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$'),
  kind        text        not null check (kind in ('function', 'view')),
  checksum    bytea       not null check (octet_length(checksum) = 32),
  interface   bytea       not null check (octet_length(interface) = 32),
  applied_at  timestamptz not null default now()
);

comment on table  core.routine is 'Functions and views as they were last applied; each has a file of its name. Global.';
comment on column core.routine.app is 'Whose file it is: core, or an app.';
comment on column core.routine.name is 'schema.name, such as core.current_company.';
comment on column core.routine.kind is 'function or view.';
comment on column core.routine.checksum is 'SHA-256 of the file; another one is applied again.';
comment on column core.routine.interface is
  'SHA-256 of its owner, parameters and result; when that differs, it is dropped first, with what hangs on it.';
comment on column core.routine.applied_at is 'When it was last applied.';

grant select on core.routine to fettle_app, fettle_worker, fettle_admin;
