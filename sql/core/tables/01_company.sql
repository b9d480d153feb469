-- Companies: the tenants of the engine. A company sees its own row; operators see all and create new ones.

create table core.company (
  id                uuid        primary key,
  slug              text        not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name              text        not null check (btrim(name) <> ''),
  kind              text        not null default 'business'
                                check (kind in ('business', 'household', 'personal', 'demo', 'system')),
  timezone          text        not null default 'UTC' check (timezone <> ''),
  status            text        not null default 'active'
                                check (status in ('active', 'suspended', 'archived', 'erased')),
  language          text        not null default 'en' check (language in ('en', 'sv')),
  workflow_revision bigint      not null default 0 check (workflow_revision >= 0),
  uses_all_apps     boolean     not null default true,
  settings          jsonb       not null default '{}' check (jsonb_typeof(settings) = 'object'),
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now(),
  constraint company_system_is_reserved
    check ((kind = 'system') = (id = '00000000-0000-7000-8000-000000000000'))
);

comment on table  core.company is 'Companies (tenants). Global; a company sees its own row only.';
comment on column core.company.id is 'Id of the company, the first key column of every row that belongs to it.';
comment on column core.company.slug is 'Short name for command lines and addresses; unique.';
comment on column core.company.name is 'Display name of the company.';
comment on column core.company.kind is
  'Kind of company: business, household, personal, demo, or system (the engine''s own jobs).';
comment on column core.company.timezone is 'IANA time zone name; decides when a day of the company begins.';
comment on column core.company.language is
  'Language of mails to members who chose none: en or sv.';
comment on column core.company.status is
  'Status: active, suspended (read-only), archived (no sign-in, no jobs) or erased (only this row is left).';
comment on column core.company.workflow_revision is
  'Counter, incremented when the company''s workflow versions or overlays change; 0 if they never did.';
comment on column core.company.uses_all_apps is
  'True if every app is enabled, including apps installed later; if false, core.company_app lists the enabled ones.';
comment on column core.company.settings is
  'Chosen values of settings that apps declare, such as maintenance.overlapping_hours; others have their defaults.';
comment on column core.company.created_at is 'Time of creation.';
comment on column core.company.updated_at is 'Time of the last change.';

insert into core.company (id, slug, name, kind)
values ('00000000-0000-7000-8000-000000000000', 'system', 'Fettle', 'system');

alter table core.company enable row level security;
alter table core.company force row level security;
create policy self_select on core.company for select to fettle_app, fettle_worker
  using (id = (select core.current_company()));
create policy self_update on core.company for update to fettle_app
  using (id = (select core.current_company())) with check (id = (select core.current_company()));
create policy operator on core.company to fettle_admin using (true) with check (true);
create policy auth on core.company for select to fettle_auth using (true);
grant select, update (name, timezone, language, status, updated_at, workflow_revision, uses_all_apps, settings)
  on core.company to fettle_app;
grant select on core.company to fettle_worker, fettle_auth;
grant select, insert,
  update (slug, name, timezone, language, status, updated_at, workflow_revision, uses_all_apps, settings)
  on core.company to fettle_admin;
