-- What every company shares: the template of records, the context of a transaction, and the reference tables
-- that say which apps, record types, workflows and permissions exist.

create schema core;

comment on schema core is 'The engine: companies, people, rights, history, feed and jobs.';

create table core.record_base (
  company_id        uuid        not null,
  id                uuid        not null,
  version           bigint      not null default 1,
  created_by        uuid,
  created_at        timestamptz not null default now(),
  updated_by        uuid,
  updated_at        timestamptz not null default now(),
  deleted_at        timestamptz,
  client_created_at timestamptz,
  origin_device     uuid,
  history_seq       bigint      not null default 0,
  history_hash      bytea       not null default '\x',
  primary key (company_id, id),
  constraint record_base_is_a_template check (false)
);

comment on table  core.record_base is 'Template of every record table; never holds a row.';
comment on column core.record_base.company_id is 'The company that the row belongs to; never changes.';
comment on column core.record_base.id is 'Chosen by the client; the same on every device.';
comment on column core.record_base.version is 'Grows by one with every write; the ETag.';
comment on column core.record_base.created_by is 'The member who made the row; null when the system did.';
comment on column core.record_base.created_at is 'When the row was made, by the database''s clock.';
comment on column core.record_base.updated_by is 'The member who wrote last; null when the system did.';
comment on column core.record_base.updated_at is 'When the row was last written.';
comment on column core.record_base.deleted_at is 'Set: the row is a tombstone.';
comment on column core.record_base.client_created_at is
  'What the device''s clock said; never used to order anything.';
comment on column core.record_base.origin_device is 'The device that pushed the row, if one did.';
comment on column core.record_base.history_seq is 'Number of the newest history row.';
comment on column core.record_base.history_hash is 'Hash of the newest history row: the head of the chain.';

-- STABLE, never IMMUTABLE: a cached plan would keep the company of an earlier transaction. The nullif is
-- needed because the setting reads '' and not null after a transaction that set it locally.
create function core.current_company() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('fettle.company_id', true), '')::uuid;

create function core.current_user_id() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('fettle.user_id', true), '')::uuid;

comment on function core.current_company() is 'The company of this transaction; null outside one.';
comment on function core.current_user_id() is 'The member acting in this transaction; null for the system.';

create table core.migration (
  app         text        not null check (app <> ''),
  number      integer     not null check (number > 0),
  name        text        not null check (name <> ''),
  checksum    bytea       not null check (octet_length(checksum) = 32),
  applied_at  timestamptz not null default now(),
  duration_ms bigint      not null check (duration_ms >= 0),
  primary key (app, number)
);

comment on table  core.migration is 'Migrations that were applied. Global.';
comment on column core.migration.app is 'Whose migration it is: core, report, or an app.';
comment on column core.migration.number is 'Its number within the app.';
comment on column core.migration.name is 'Its file name, without the number.';
comment on column core.migration.checksum is 'SHA-256 of the file as it was applied.';
comment on column core.migration.applied_at is 'When it was applied.';
comment on column core.migration.duration_ms is 'How long it took.';

create table core.app (
  name         text        primary key check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
  version      integer     not null check (version > 0),
  hash         bytea       not null check (octet_length(hash) = 32),
  installed_at timestamptz not null default now()
);

comment on table  core.app is 'Installed apps. Global.';
comment on column core.app.name is 'The app''s name, which is the schema of its tables too.';
comment on column core.app.version is 'The version in its manifest.';
comment on column core.app.hash is 'SHA-256 of the installed manifest.';
comment on column core.app.installed_at is 'When this version was installed.';

create table core.record_type (
  name         text  primary key check (name ~ '^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$'),
  app          text  not null references core.app (name),
  table_schema text  not null,
  table_name   text  not null,
  view_schema  text  not null,
  view_name    text  not null,
  definition   jsonb not null check (jsonb_typeof(definition) = 'object'),
  unique (table_schema, table_name)
);

create index on core.record_type (app);

comment on table  core.record_type is 'Record types of the installed apps. Global.';
comment on column core.record_type.name is 'app.type, such as maintenance.entry.';
comment on column core.record_type.app is 'The app that brought it.';
comment on column core.record_type.table_schema is 'Schema of the table that is written.';
comment on column core.record_type.table_name is 'The table that is written.';
comment on column core.record_type.view_schema is 'Schema of the relation that is read.';
comment on column core.record_type.view_name is 'The relation that is read: a view, or the table itself.';
comment on column core.record_type.definition is 'The type''s part of the manifest, as it was checked.';

create table core.workflow_definition (
  record_type text        not null references core.record_type (name),
  version     integer     not null check (version > 0),
  body        jsonb       not null check (jsonb_typeof(body) = 'object'),
  sha256      bytea       not null check (octet_length(sha256) = 32),
  is_current  boolean     not null default false,
  created_at  timestamptz not null default now(),
  primary key (record_type, version)
);

create unique index workflow_definition_current on core.workflow_definition (record_type) where is_current;

comment on table  core.workflow_definition is 'Every version of every workflow, kept for ever. Global.';
comment on column core.workflow_definition.record_type is 'The record type whose status it rules.';
comment on column core.workflow_definition.version is 'Its version; history names it.';
comment on column core.workflow_definition.body is 'The definition as the engine reads it.';
comment on column core.workflow_definition.sha256 is 'Digest of the definition''s text.';
comment on column core.workflow_definition.is_current is 'New records follow this version.';
comment on column core.workflow_definition.created_at is 'When it was installed.';

create table core.workflow_state (
  record_type text    not null,
  version     integer not null,
  status      text    not null check (status ~ '^[a-z][a-z0-9_]*$'),
  category    text    not null check (category in ('open', 'active', 'done', 'failed')),
  is_initial  boolean not null default false,
  is_final    boolean not null default false,
  label       text    not null check (btrim(label) <> ''),
  color       text,
  position    integer not null default 0,
  primary key (record_type, version, status),
  foreign key (record_type, version) references core.workflow_definition (record_type, version)
);

-- The guard of records asks exactly these two questions, for every row written.
create index on core.workflow_state (record_type, status, category);

comment on table  core.workflow_state is
  'Statuses of the workflows in force, for the guard of records: the current version and, '
  'while companies are being moved to it, the one before. Global.';
comment on column core.workflow_state.record_type is 'The record type.';
comment on column core.workflow_state.version is 'Version of the definition.';
comment on column core.workflow_state.status is 'Name of the status.';
comment on column core.workflow_state.category is 'What indexes, views and counts ask instead of the name.';
comment on column core.workflow_state.is_initial is 'A new record starts in it.';
comment on column core.workflow_state.is_final is 'Nothing more is expected to happen.';
comment on column core.workflow_state.label is 'What people read.';
comment on column core.workflow_state.color is 'Color beside the label.';
comment on column core.workflow_state.position is 'Order in lists and diagrams.';

create table core.workflow_edge (
  record_type text    not null,
  version     integer not null,
  transition  text    not null check (transition ~ '^[a-z][a-z0-9_]*$'),
  from_status text    not null,
  to_status   text    not null,
  by_system   boolean not null default false,
  primary key (record_type, version, transition, from_status),
  foreign key (record_type, version, from_status)
    references core.workflow_state (record_type, version, status),
  foreign key (record_type, version, to_status)
    references core.workflow_state (record_type, version, status)
);

create index on core.workflow_edge (record_type, from_status, to_status);
create index on core.workflow_edge (record_type, version, from_status);
create index on core.workflow_edge (record_type, version, to_status);

comment on table  core.workflow_edge is 'Ways from status to status of the workflows in force. Global.';
comment on column core.workflow_edge.record_type is 'The record type.';
comment on column core.workflow_edge.version is 'Version of the definition.';
comment on column core.workflow_edge.transition is 'Name of the transition.';
comment on column core.workflow_edge.from_status is 'Where it starts.';
comment on column core.workflow_edge.to_status is 'Where it ends.';
comment on column core.workflow_edge.by_system is 'Only the system may take it.';

create table core.permission (
  name        text    primary key check (name ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$'),
  app         text    not null check (app <> ''),
  description text    not null check (btrim(description) <> ''),
  grantable   boolean not null default true,
  unique (name, grantable)
);

comment on table  core.permission is 'Every permission there is; an unknown name is an error. Global.';
comment on column core.permission.name is
  'app.type.verb, or noun.verb for the engine''s own; .own at the end.';
comment on column core.permission.app is 'The app that brought it, or core.';
comment on column core.permission.description is 'What its holder may do.';
comment on column core.permission.grantable is 'A company may give it to a role of its own.';

create table core.builtin_role (
  name  text    primary key check (name ~ '^[a-z][a-z0-9_]*$'),
  label text    not null check (btrim(label) <> ''),
  rank  integer not null unique
);

comment on table  core.builtin_role is 'Roles that every company has. Global.';
comment on column core.builtin_role.name is 'Name of the role.';
comment on column core.builtin_role.label is 'What people read.';
comment on column core.builtin_role.rank is
  'Order in lists, the most powerful first; rights come from grants alone.';

insert into core.builtin_role (name, label, rank)
values
  ('owner', 'Owner', 1),
  ('admin', 'Administrator', 2),
  ('user', 'User', 3),
  ('service', 'Service account', 4),
  ('viewer', 'Viewer', 5),
  ('guest', 'Guest', 6);

create table core.builtin_grant (
  role       text not null references core.builtin_role (name),
  permission text not null references core.permission (name),
  primary key (role, permission)
);

create index on core.builtin_grant (permission);

comment on table  core.builtin_grant is 'What the built-in roles may do, the same in every company. Global.';
comment on column core.builtin_grant.role is 'The built-in role.';
comment on column core.builtin_grant.permission is 'A permission that it has.';
