-- Reports of the engine and the installed apps, and the logins that read the reports of one company.

create table core.report (
  name       text   primary key check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
  app        text   references core.app (name),
  title      text   not null check (btrim(title) <> ''),
  view_name  text   not null unique,
  sort_order text[] not null default '{}',
  permission text   check (permission ~ '^[a-z][a-z0-9_.]*$'),
  chart      jsonb
);

create index on core.report (app);

comment on table  core.report is 'Reports of the engine and of the installed apps. Global.';
comment on column core.report.name is 'Name of the report in commands.';
comment on column core.report.app is 'App that declares the report; null for the engine.';
comment on column core.report.title is 'Title in one line.';
comment on column core.report.view_name is 'Name of the view in the schema report.';
comment on column core.report.sort_order is 'Sort columns; a leading minus means descending.';
comment on column core.report.permission is
  'Permission that a member needs in addition to report.read; null if none.';
comment on column core.report.chart is 'How the report is drawn: kind, x, y and series; null for a table only.';

insert into core.report (name, app, title, view_name, sort_order, permission)
values
  ('members', null, 'Members of each company and their roles', 'v1_member', '{company,member}', 'member.read'),
  ('roles', null, 'Roles of each company with members and permissions', 'v1_role', '{company,role}', 'role.read'),
  ('invites', null, 'Invitations and their status', 'v1_invite', '{company,-created_at}', 'invite.read'),
  ('audit', null, 'Changes of people, roles and settings', 'v1_audit', '{-at}', 'audit.read'),
  ('jobs', null, 'Jobs per queue and kind that have not succeeded', 'v1_job', '{company,queue,kind}', 'job.read'),
  ('dead_jobs', null, 'Dead jobs and their last error', 'v1_dead_job', '{company,-died_at}', 'job.read'),
  ('webhooks', null, 'Webhooks and their failing receivers', 'v1_webhook', '{company,-open_since}', 'webhook.read'),
  ('workers', null, 'Worker processes and their heartbeats', 'v1_worker', '{-heartbeat_at}', 'job.read'),
  ('schedules', null, 'Schedules with their last and next run', 'v1_schedule', '{company,schedule}', 'job.read'),
  ('quotas', null, 'Record quotas and how much is used', 'v1_quota', '{company,record_type}', 'company.read');

grant select on core.report to fettle_app, fettle_worker, fettle_admin;

create table core.report_login (
  role_name  name primary key,
  company_id uuid not null references core.company (id)
);

create index on core.report_login (company_id);

comment on table  core.report_login is
  'Company whose reports each login of the group fettle_report_company may read. Global; maintained by operators.';
comment on column core.report_login.role_name is 'The database login.';
comment on column core.report_login.company_id is 'Company whose reports the login reads.';

alter table core.report_login enable row level security;
alter table core.report_login force row level security;
create policy operator on core.report_login to fettle_admin using (true) with check (true);
create policy auth on core.report_login for select to fettle_auth using (true);
grant select, insert, update (company_id), delete on core.report_login to fettle_admin;
grant select on core.report_login to fettle_auth;
