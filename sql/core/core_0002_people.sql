-- Companies, the people in them, and the roles they have there.

create table core.company (
  id         uuid        primary key,
  slug       text        not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name       text        not null check (btrim(name) <> ''),
  kind       text        not null default 'business'
                         check (kind in ('business', 'household', 'personal', 'demo', 'system')),
  timezone   text        not null default 'UTC' check (timezone <> ''),
  status     text        not null default 'active'
                         check (status in ('active', 'suspended', 'archived', 'erased')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint company_system_is_reserved
    check ((kind = 'system') = (id = '00000000-0000-7000-8000-000000000000'))
);

comment on table  core.company is 'Companies (tenants). Global; a company sees itself.';
comment on column core.company.id is 'What every row of the company starts with.';
comment on column core.company.slug is 'Short name for command lines and addresses.';
comment on column core.company.name is 'What people read.';
comment on column core.company.kind is
  'business, household, personal, demo, or the one of the system''s own jobs.';
comment on column core.company.timezone is 'Name in the time zone database; decides what day it is.';
comment on column core.company.status is
  'active; suspended: reads only; archived: no log-ins, no jobs; erased: nothing left but this row.';
comment on column core.company.created_at is 'When it was made.';
comment on column core.company.updated_at is 'When it was last changed.';

insert into core.company (id, slug, name, kind)
values ('00000000-0000-7000-8000-000000000000', 'system', 'Fettle', 'system');

create table core.app_user (
  id            uuid        primary key,
  email         text        not null check (btrim(email) <> '' and length(email) <= 320),
  email_key     text        not null generated always as (lower(btrim(email))) stored,
  name          text        not null check (btrim(name) <> ''),
  kind          text        not null default 'person' check (kind in ('person', 'service', 'visitor')),
  password_hash text        check (password_hash <> ''),
  status        text        not null default 'active' check (status in ('active', 'disabled')),
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  unique (email_key)
);

comment on table  core.app_user is
  'People and service accounts, each once for all companies. Global; seen by those who share a company.';
comment on column core.app_user.id is 'The same in every company.';
comment on column core.app_user.email is 'As its owner writes it.';
comment on column core.app_user.email_key is 'As it is compared: trimmed, in lower case.';
comment on column core.app_user.name is 'What others read.';
comment on column core.app_user.kind is 'person, service (a program), or visitor (not signed in yet).';
comment on column core.app_user.password_hash is
  'Secret: what crypt(3) made of the password; null: none set.';
comment on column core.app_user.status is 'A disabled user can do nothing in any company.';
comment on column core.app_user.created_at is 'When it was made.';
comment on column core.app_user.updated_at is 'When it was last changed.';

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

comment on table  core.role is 'Roles of a company: a copy of the built-in ones, and its own.';
comment on column core.role.company_id is 'The company.';
comment on column core.role.name is 'Name, unique in the company.';
comment on column core.role.label is 'What people read.';
comment on column core.role.built_in is 'Its rights come from core.builtin_grant and cannot be changed here.';
comment on column core.role.created_at is 'When it was made.';
comment on column core.role.updated_at is 'When it was last changed.';

-- `grantable` can only be true, so the foreign key admits only permissions that a company may give away.
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

comment on table  core.role_permission is 'What a company''s own roles may do.';
comment on column core.role_permission.company_id is 'The company.';
comment on column core.role_permission.role is 'A role of its own.';
comment on column core.role_permission.permission is 'A permission that the role has.';
comment on column core.role_permission.grantable is 'Always true; part of the key to core.permission.';

create table core.membership (
  company_id uuid        not null,
  user_id    uuid        not null references core.app_user (id),
  role       text        not null,
  status     text        not null default 'active' check (status in ('active', 'suspended', 'removed')),
  invited_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (company_id, user_id),
  foreign key (company_id, role) references core.role (company_id, name),
  foreign key (company_id, invited_by) references core.membership (company_id, user_id)
);

create index on core.membership (company_id, role);
create index on core.membership (company_id, invited_by) where invited_by is not null;
create index on core.membership (user_id);

comment on table  core.membership is 'Who is in which company, as what. A row is never removed.';
comment on column core.membership.company_id is 'The company.';
comment on column core.membership.user_id is 'The person or service account.';
comment on column core.membership.role is 'The one role there.';
comment on column core.membership.status is 'active, suspended for a while, or removed for good.';
comment on column core.membership.invited_by is 'The member who asked them in; null: an operator.';
comment on column core.membership.created_at is 'When they joined.';
comment on column core.membership.updated_at is 'When role or status last changed.';
