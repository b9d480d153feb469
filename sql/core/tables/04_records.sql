-- Records: the template of all record tables, the installed apps and their record types, and tables that serve
-- records of every type: comments, watchers, idempotency keys and number series. Attachments are in 21_files.sql.

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
comment on column core.record_base.id is 'Id of the record, chosen by the client; the same on every device.';
comment on column core.record_base.version is 'Version, incremented by every write; the ETag.';
comment on column core.record_base.created_by is 'Member who created the row; null for the system.';
comment on column core.record_base.created_at is 'Time of creation, by the database''s clock.';
comment on column core.record_base.updated_by is 'Member who wrote the row last; null for the system.';
comment on column core.record_base.updated_at is 'Time of the last write.';
comment on column core.record_base.deleted_at is
  'Time of deletion, which makes the row a tombstone; null if not deleted.';
comment on column core.record_base.client_created_at is
  'Time of creation by the device''s clock, never used for ordering; null if unknown.';
comment on column core.record_base.origin_device is 'Device that pushed the row; null if none did.';
comment on column core.record_base.history_seq is 'Number of the newest history row; 0 if none.';
comment on column core.record_base.history_hash is
  'Hash of the newest history row, the head of the chain; empty if none.';

select core.attach_tenant_table('core.record_base');
-- `like core.record_base` requires the right to read it.
grant select on core.record_base to fettle_author;

create table core.app (
  name         text        primary key check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
  version      integer     not null check (version > 0),
  hash         bytea       not null check (octet_length(hash) = 32),
  installed_at timestamptz not null default now(),
  manifest     jsonb       not null check (jsonb_typeof(manifest) = 'object')
);

comment on table  core.app is 'Installed apps. Global.';
comment on column core.app.name is 'Name of the app, also the schema of its tables.';
comment on column core.app.version is 'Version in the manifest.';
comment on column core.app.hash is 'SHA-256 of the installed manifest.';
comment on column core.app.installed_at is 'Time of installation of this version.';
comment on column core.app.manifest is 'Manifest that was installed, with its workflows inlined.';

grant select on core.app to fettle_app, fettle_worker, fettle_admin, fettle_auth;

create table core.company_app (
  company_id uuid        not null references core.company (id),
  app        text        not null references core.app (name),
  enabled_at timestamptz not null default now(),
  primary key (company_id, app)
);

create index on core.company_app (app);

comment on table  core.company_app is
  'Apps enabled for a company that does not use all apps. A role has no permissions of an app that is not enabled.';
comment on column core.company_app.company_id is 'The company.';
comment on column core.company_app.app is 'The app.';
comment on column core.company_app.enabled_at is 'Time at which the app was enabled.';

select core.attach_tenant_table('core.company_app');
grant select on core.company_app to fettle_app, fettle_worker, fettle_admin;
grant insert, delete on core.company_app to fettle_app, fettle_admin;

create table core.record_type (
  name         text  primary key check (name ~ '^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$'),
  app          text  not null references core.app (name),
  table_schema text  not null,
  table_name   text  not null,
  view_schema  text  not null,
  view_name    text  not null,
  definition   jsonb not null check (jsonb_typeof(definition) = 'object'),
  owner_only   boolean not null generated always as (coalesce(definition ->> 'scope', '') = 'owner') stored,
  shown        text,
  resend       bigint not null default 0 check (resend >= 0),
  flat_view    text  unique,
  flat_digest  bytea check (octet_length(flat_digest) = 32),
  unique (table_schema, table_name)
);

create index on core.record_type (app);

comment on table  core.record_type is 'Record types of the installed apps. Global.';
comment on column core.record_type.name is 'Qualified name, app.type, such as maintenance.entry.';
comment on column core.record_type.app is 'App that declares the type.';
comment on column core.record_type.table_schema is 'Schema of the table for writes.';
comment on column core.record_type.table_name is 'Name of the table for writes.';
comment on column core.record_type.view_schema is 'Schema of the relation for reads.';
comment on column core.record_type.view_name is 'Name of the relation for reads: a view, or the table itself.';
comment on column core.record_type.definition is 'The type''s section of the manifest, validated.';
comment on column core.record_type.owner_only is
  'True if a record is visible to its owner only. Policies read it for each statement, without the document.';
comment on column core.record_type.shown is 'Hash of what readers get of a record: its columns, their types and the view.';
comment on column core.record_type.resend is
  'Number of changes of the catalogue at the last change of shown, from which devices get all records again; 0 if none.';
comment on column core.record_type.flat_view is
  'View of the schema report that shows the type''s records, one row each; null if they are private to their owners.';
comment on column core.record_type.flat_digest is 'SHA-256 of the statements that created flat_view; null if there is none.';

grant select on core.record_type to fettle_app, fettle_worker, fettle_admin;
grant select (name, table_schema, table_name, definition, owner_only) on core.record_type to fettle_auth;

create table core.comment (
  company_id  uuid        not null,
  id          uuid        not null,
  record_type text        not null,
  record_id   uuid        not null,
  owner_id    uuid,
  body        text        not null check (btrim(body) <> '' and length(body) <= 10000),
  mentions    uuid[]      not null default '{}' check (cardinality(mentions) <= 50),
  created_by  uuid,
  author_name text        not null default '',
  created_at  timestamptz not null default now(),
  edited_at   timestamptz,
  deleted_at  timestamptz,
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, owner_id) references core.membership (company_id, user_id)     -- keep
);

create index on core.comment (company_id, record_type, record_id, created_at, id);
create index on core.comment (company_id, created_by) where created_by is not null;
create index on core.comment (company_id, owner_id) where owner_id is not null;

comment on table  core.comment is 'Comments on records of any type.';
comment on column core.comment.company_id is 'The company.';
comment on column core.comment.id is 'Id of the comment, chosen by the client.';
comment on column core.comment.record_type is 'Type of the commented record.';
comment on column core.comment.record_id is 'The commented record.';
comment on column core.comment.owner_id is
  'Owner of the private record, the only member who sees the comment; null if the record belongs to the company.';
comment on column core.comment.body is 'Text of the comment; a word such as @ana mentions a member.';
comment on column core.comment.mentions is 'Mentioned members, resolved when the comment was written.';
comment on column core.comment.created_by is 'Author of the comment; null for an operator.';
comment on column core.comment.author_name is 'Name of the author at that time.';
comment on column core.comment.created_at is 'Time of creation.';
comment on column core.comment.edited_at is 'Time of the last edit; null if never edited.';
comment on column core.comment.deleted_at is 'Time of deletion; null if not deleted.';

select core.attach_tenant_table('core.comment');
create policy owner_private on core.comment as restrictive to fettle_app, fettle_worker, fettle_admin
  using (owner_id is null or owner_id = (select core.current_user_id()))
  with check (owner_id is null or owner_id = (select core.current_user_id()));
grant select, insert, update (body, mentions, edited_at, deleted_at) on core.comment to fettle_app,
  fettle_admin;
grant select on core.comment to fettle_worker;

create table core.watcher (
  company_id  uuid        not null,
  record_type text        not null,
  record_id   uuid        not null,
  user_id     uuid        not null,
  is_watching boolean     not null default true,
  created_at  timestamptz not null default now(),
  primary key (company_id, record_type, record_id, user_id),
  foreign key (company_id, user_id) references core.membership (company_id, user_id)  -- keep
);

create index on core.watcher (company_id, user_id);

comment on table  core.watcher is
  'Members who watch a record and receive its notices, or have opted out. The creator watches without a row.';
comment on column core.watcher.company_id is 'The company.';
comment on column core.watcher.record_type is 'Type of the record.';
comment on column core.watcher.record_id is 'The record.';
comment on column core.watcher.user_id is 'The member.';
comment on column core.watcher.is_watching is 'True if the member watches the record; false for an opt-out.';
comment on column core.watcher.created_at is 'Time at which the row was created.';

select core.attach_tenant_table('core.watcher');
grant select, insert, update (is_watching) on core.watcher to fettle_app, fettle_admin;
grant select on core.watcher to fettle_worker;

create table core.idempotency (
  company_id   uuid        not null,
  key          text        not null check (length(key) between 1 and 200),
  actor        text        not null,
  request_hash bytea       not null,
  answer       jsonb,
  created_at   timestamptz not null default now(),
  primary key (company_id, actor, key)
);

create index idempotency_at on core.idempotency (created_at);

comment on table  core.idempotency is 'Commands with an idempotency key, and their first answers.';
comment on column core.idempotency.company_id is 'The company.';
comment on column core.idempotency.key is 'Idempotency key chosen by the client.';
comment on column core.idempotency.actor is 'Actor that sent the command; every actor has keys of its own.';
comment on column core.idempotency.request_hash is
  'Digest of the command; another command with the same key gets a conflict.';
comment on column core.idempotency.answer is
  'First answer; null only inside the transaction that writes it.';
comment on column core.idempotency.created_at is
  'Time of the first request; core.forget_answers() deletes the row after seven days.';

select core.attach_tenant_table('core.idempotency');
create policy auth on core.idempotency to fettle_auth using (true) with check (true);
grant select (company_id, actor, key, created_at), delete on core.idempotency to fettle_auth;
grant select, insert, update (answer) on core.idempotency to fettle_app;
grant select, insert, update (answer), delete on core.idempotency to fettle_worker, fettle_admin;

-- Numbers that the engine assigns to records, such as WO-1007.

create table core.number_series (
  company_id  uuid        not null references core.company (id),
  record_type text        not null,
  format      text        check (format ~ '^[A-Z]([A-Z0-9._/-]*[A-Z._/-])?[{]n[}]$' and length(format) <= 19),
  reserved    bigint      not null default 0 check (reserved >= 0),
  updated_at  timestamptz not null default now(),
  primary key (company_id, record_type)
);

comment on table  core.number_series is
  'Number formats that a company has changed, and the numbers it has reserved.';
comment on column core.number_series.company_id is 'The company.';
comment on column core.number_series.record_type is 'Type of the numbered records.';
comment on column core.number_series.format is
  'Format of the numbers, such as WO-{n}; null for the format in the manifest.';
comment on column core.number_series.reserved is
  'Highest counter reserved by an import; 0 if none. New numbers are above it.';
comment on column core.number_series.updated_at is 'Time of the last change.';

select core.attach_tenant_table('core.number_series');
grant select, insert, update (format, reserved, updated_at)
  on core.number_series to fettle_app, fettle_worker, fettle_admin;
