-- Permissions, the built-in roles that hold them, and a company's own roles.

create table core.permission (
  name        text    primary key check (name ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$'),
  app         text    not null check (app <> ''),
  description text    not null check (btrim(description) <> ''),
  grantable   boolean not null default true,
  unique (name, grantable)
);

comment on table  core.permission is 'All known permissions; any other name is an error. Global.';
comment on column core.permission.name is
  'Name: app.type.verb, or noun.verb for the engine''s own; the suffix .own limits it to own records.';
comment on column core.permission.app is 'App that declares the permission, or core.';
comment on column core.permission.description is 'Description of the permitted action.';
comment on column core.permission.grantable is 'True if a company may grant the permission to a role of its own.';

grant select on core.permission to fettle_app, fettle_worker, fettle_admin;

create table core.builtin_role (
  name  text    primary key check (name ~ '^[a-z][a-z0-9_]*$'),
  label text    not null check (btrim(label) <> ''),
  rank  integer not null unique
);

comment on table  core.builtin_role is 'Built-in roles, which every company has. Global.';
comment on column core.builtin_role.name is 'Name of the role.';
comment on column core.builtin_role.label is 'Display name of the role.';
comment on column core.builtin_role.rank is
  'Position in lists, from the most powerful role; decides nothing about permissions.';

insert into core.builtin_role (name, label, rank)
values
  ('owner', 'Owner', 1),
  ('admin', 'Administrator', 2),
  ('user', 'User', 3),
  ('service', 'Service account', 4),
  ('viewer', 'Viewer', 5),
  ('guest', 'Guest', 6);

grant select on core.builtin_role to fettle_app, fettle_worker, fettle_admin;

create table core.builtin_grant (
  role       text not null references core.builtin_role (name),
  permission text not null references core.permission (name),
  primary key (role, permission)
);

create index on core.builtin_grant (permission);

comment on table  core.builtin_grant is 'Permissions of the built-in roles, the same in every company. Global.';
comment on column core.builtin_grant.role is 'The built-in role.';
comment on column core.builtin_grant.permission is 'Permission of the role.';

grant select on core.builtin_grant to fettle_app, fettle_worker, fettle_admin;

create table core.role (
  company_id uuid        not null references core.company (id),
  name       text        not null check (name ~ '^[a-z][a-z0-9_-]{0,62}$'),
  label      text        not null check (btrim(label) <> ''),
  built_in   boolean     not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (company_id, name),
  constraint role_built_in_by_name
    check (built_in = (name in ('owner', 'admin', 'user', 'service', 'viewer', 'guest')))
);

comment on table  core.role is 'Roles of a company: a row for each built-in role, and its own roles.';
comment on column core.role.company_id is 'The company.';
comment on column core.role.name is 'Name, unique in the company.';
comment on column core.role.label is 'Display name of the role.';
comment on column core.role.built_in is
  'True for a built-in role, whose permissions are in core.builtin_grant and the same for all companies.';
comment on column core.role.created_at is 'Time of creation.';
comment on column core.role.updated_at is 'Time of the last change.';

select core.attach_tenant_table('core.role');
grant select, insert, update (label, updated_at), delete on core.role to fettle_app, fettle_admin;
grant select on core.role to fettle_worker;

-- `grantable` can only be true, so the foreign key admits only permissions that a company may grant.
create table core.role_permission (
  company_id uuid    not null,
  role       text    not null,
  permission text    not null,
  grantable  boolean not null generated always as (true) stored,
  primary key (company_id, role, permission),
  foreign key (company_id, role) references core.role (company_id, name),
  foreign key (permission, grantable) references core.permission (name, grantable),
  constraint role_permission_of_own_roles
    check (role not in ('owner', 'admin', 'user', 'service', 'viewer', 'guest'))
);

create index on core.role_permission (permission, grantable);

comment on table  core.role_permission is 'Permissions of a company''s own roles.';
comment on column core.role_permission.company_id is 'The company.';
comment on column core.role_permission.role is 'Role of the company''s own, not a built-in one.';
comment on column core.role_permission.permission is 'Permission of the role.';
comment on column core.role_permission.grantable is 'Always true; part of the foreign key to core.permission.';

select core.attach_tenant_table('core.role_permission');
grant select, insert, delete on core.role_permission to fettle_app, fettle_admin;
grant select on core.role_permission to fettle_worker;
