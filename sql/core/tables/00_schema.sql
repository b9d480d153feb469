-- The schemas of the engine, and the migrator's records of what it has applied.

create schema core;
create schema report;

comment on schema core is 'The engine: companies, people, rights, history, feed and jobs.';
comment on schema report is 'Reports: views for operators, dashboards and exports.';

grant usage on schema core to fettle_app, fettle_worker, fettle_admin, fettle_auth, fettle_eraser;
grant usage on schema report
  to fettle_report, fettle_report_company, fettle_app, fettle_worker, fettle_admin;

-- The SQL of apps creates report views, and names tables of the schema core.
grant usage on schema core to fettle_author;
grant usage, create on schema report to fettle_author;

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

comment on table  core.migration is 'Applied files with tables and changes, one row per file. Global.';
comment on column core.migration.app is 'Owner of the file: core, or the name of an app.';
comment on column core.migration.kind is
  'Kind of file: tables (of one topic) or change (to existing tables).';
comment on column core.migration.number is 'Number of the file within its app and kind.';
comment on column core.migration.name is 'File name without the number.';
comment on column core.migration.checksum is 'SHA-256 of the file when it was applied.';
comment on column core.migration.applied_at is 'Time of application.';
comment on column core.migration.duration_ms is 'Duration of the application in milliseconds.';

grant select on core.migration to fettle_app, fettle_worker, fettle_admin;

create table core.routine (
  app         text        not null check (app <> ''),
  name        text        primary key check (name ~ '^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$'),
  kind        text        not null check (kind in ('function', 'view')),
  checksum    bytea       not null check (octet_length(checksum) = 32),
  interface   bytea       not null check (octet_length(interface) = 32),
  applied_at  timestamptz not null default now()
);

comment on table  core.routine is
  'Functions and views as last applied, each from a file of the same name. Global.';
comment on column core.routine.app is 'Owner of the file: core, or the name of an app.';
comment on column core.routine.name is 'Qualified name, such as core.current_company.';
comment on column core.routine.kind is 'Kind of routine: function or view.';
comment on column core.routine.checksum is 'SHA-256 of the file; a changed file is applied again.';
comment on column core.routine.interface is
  'SHA-256 of a function''s owner, parameters and result, or of the view; if it differs, it is dropped first.';
comment on column core.routine.applied_at is 'Time of the last application.';

grant select on core.routine to fettle_app, fettle_worker, fettle_admin;
