-- Workflows: all versions of all definitions, the states and edges in force, the version that each company
-- follows, and its overlay.

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

grant select on core.workflow_definition to fettle_app, fettle_worker, fettle_admin;

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

-- The guard of records runs exactly these two queries, for each written row.
create index on core.workflow_state (record_type, status, category);

comment on table  core.workflow_state is
  'Statuses of the workflows in force, for the guard of records: the current version and, '
  'while companies are being moved to it, the one before. Global.';
comment on column core.workflow_state.record_type is 'The record type.';
comment on column core.workflow_state.version is 'Version of the definition.';
comment on column core.workflow_state.status is 'Name of the status.';
comment on column core.workflow_state.category is 'What indexes, views and counts ask instead of the name.';
comment on column core.workflow_state.is_initial is 'A new record starts in it.';
comment on column core.workflow_state.is_final is 'No transition leads out of it.';
comment on column core.workflow_state.label is 'What people read.';
comment on column core.workflow_state.color is 'Color beside the label.';
comment on column core.workflow_state.position is 'Order in lists and diagrams.';

grant select on core.workflow_state to fettle_app, fettle_worker, fettle_admin;

create table core.workflow_edge (
  record_type text    not null,
  version     integer not null,
  transition  text    not null check (transition ~ '^[a-z][a-z0-9_]*$'),
  from_status text    not null,
  to_status   text    not null,
  to_category text,
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
comment on column core.workflow_edge.to_category is
  'Category of the status where it ends; null: the guard looks the status up.';
comment on column core.workflow_edge.by_system is 'Only the system may take it.';

grant select on core.workflow_edge to fettle_app, fettle_worker, fettle_admin;

create table core.workflow_choice (
  company_id   uuid        not null,
  record_type  text        not null,
  version      integer     not null check (version > 0),
  next_version integer     check (next_version <> version),
  updated_at   timestamptz not null default now(),
  primary key (company_id, record_type)
);

comment on table  core.workflow_choice is
  'The version of a workflow that a company follows; without a row, the first one that was installed.';
comment on column core.workflow_choice.company_id is 'The company.';
comment on column core.workflow_choice.record_type is 'The record type whose workflow it is.';
comment on column core.workflow_choice.version is 'The version its records follow.';
comment on column core.workflow_choice.next_version is
  'The version it is moving to: records in states that only that one has follow it already. Null: none.';
comment on column core.workflow_choice.updated_at is 'When this was last changed.';

select core.attach_tenant_table('core.workflow_choice');
grant select, insert, update (version, next_version, updated_at) on core.workflow_choice to fettle_app,
  fettle_admin;
grant select on core.workflow_choice to fettle_worker;

create table core.workflow_overlay (
  company_id  uuid        not null,
  record_type text        not null,
  version     integer     not null check (version > 0),
  body        jsonb       not null check (jsonb_typeof(body) = 'object'),
  updated_at  timestamptz not null default now(),
  primary key (company_id, record_type, version)
);

comment on table  core.workflow_overlay is
  'What a company asks beyond a version of a workflow. It only tightens, and was checked against that version.';
comment on column core.workflow_overlay.company_id is 'The company.';
comment on column core.workflow_overlay.record_type is 'The record type whose workflow it tightens.';
comment on column core.workflow_overlay.version is 'The version it was checked against.';
comment on column core.workflow_overlay.body is 'The overlay as the engine reads it.';
comment on column core.workflow_overlay.updated_at is 'When it was last set.';

select core.attach_tenant_table('core.workflow_overlay');
grant select, insert, update (body, updated_at), delete on core.workflow_overlay to fettle_app, fettle_admin;
grant select on core.workflow_overlay to fettle_worker;
