-- Workflows: all versions of all definitions, the statuses and status changes in force, the version that each
-- company follows, its overlays, and the versions that it installed for itself.

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

comment on table  core.workflow_definition is 'All versions of all workflows, never deleted. Global.';
comment on column core.workflow_definition.record_type is 'Record type with the workflow.';
comment on column core.workflow_definition.version is 'Version of the workflow, referenced by history.';
comment on column core.workflow_definition.body is 'Definition as parsed by the engine.';
comment on column core.workflow_definition.sha256 is 'SHA-256 of the definition''s text.';
comment on column core.workflow_definition.is_current is 'True for the version that new records follow.';
comment on column core.workflow_definition.created_at is 'Time of installation.';

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

-- For the guard of records, which looks up here what its cached transitions do not answer.
create index on core.workflow_state (record_type, status, category);

comment on table  core.workflow_state is
  'Statuses of the workflows in force, for the guard of records: the current version and, '
  'during an activation, the previous one. Global.';
comment on column core.workflow_state.record_type is 'The record type.';
comment on column core.workflow_state.version is 'Version of the definition.';
comment on column core.workflow_state.status is 'Name of the status.';
comment on column core.workflow_state.category is
  'Status category: open, active, done or failed; used by indexes, views and counts.';
comment on column core.workflow_state.is_initial is 'True for the status of a new record.';
comment on column core.workflow_state.is_final is 'True if no transition leaves the status.';
comment on column core.workflow_state.label is 'Display name of the status.';
comment on column core.workflow_state.color is 'Color of the label; null if none.';
comment on column core.workflow_state.position is 'Position in lists and diagrams.';

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

comment on table  core.workflow_edge is 'Allowed status changes of the workflows in force. Global.';
comment on column core.workflow_edge.record_type is 'The record type.';
comment on column core.workflow_edge.version is 'Version of the definition.';
comment on column core.workflow_edge.transition is 'Name of the transition.';
comment on column core.workflow_edge.from_status is 'Status before the transition.';
comment on column core.workflow_edge.to_status is 'Status after the transition.';
comment on column core.workflow_edge.to_category is
  'Category of the status after the transition; null if unknown.';
comment on column core.workflow_edge.by_system is 'True if only the system may take the transition.';

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
  'Workflow version that each company follows; the first installed version if there is no row.';
comment on column core.workflow_choice.company_id is 'The company.';
comment on column core.workflow_choice.record_type is 'Record type with the workflow.';
comment on column core.workflow_choice.version is 'Version that the company''s records follow.';
comment on column core.workflow_choice.next_version is
  'Version being activated, which records in states that only it has follow already; null if none.';
comment on column core.workflow_choice.updated_at is 'Time of the last change.';

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
  'Overlays: stricter rules of one company for one workflow version.';
comment on column core.workflow_overlay.company_id is 'The company.';
comment on column core.workflow_overlay.record_type is 'Record type with the workflow.';
comment on column core.workflow_overlay.version is 'Version that the overlay was checked against.';
comment on column core.workflow_overlay.body is 'Overlay as parsed by the engine.';
comment on column core.workflow_overlay.updated_at is 'Time of the last change.';

select core.attach_tenant_table('core.workflow_overlay');
grant select, insert, update (body, updated_at), delete on core.workflow_overlay to fettle_app, fettle_admin;
grant select on core.workflow_overlay to fettle_worker;

create table core.workflow_own (
  company_id   uuid        not null,
  record_type  text        not null,
  version      integer     not null check (version > 1000000000),
  based_on     integer     not null check (based_on between 1 and 1000000000),
  installed_at timestamptz not null default now(),
  primary key (company_id, record_type, version)
);

comment on table  core.workflow_own is
  'Versions of workflows that a company installed for itself, and that no other company can follow.';
comment on column core.workflow_own.company_id is 'The company.';
comment on column core.workflow_own.record_type is 'Record type with the workflow.';
comment on column core.workflow_own.version is 'Number of the definition, above those of apps.';
comment on column core.workflow_own.based_on is 'Version of the app from which it was made.';
comment on column core.workflow_own.installed_at is 'Time of installation.';

select core.attach_tenant_table('core.workflow_own');
grant select on core.workflow_own to fettle_app, fettle_worker;
grant select, insert on core.workflow_own to fettle_admin;
