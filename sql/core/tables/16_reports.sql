-- Reports of the installed apps, and the logins that read the reports of one company.

create table core.report (
  name       text   primary key check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
  app        text   not null references core.app (name),
  title      text   not null check (btrim(title) <> ''),
  view_name  text   not null unique,
  sort_order text[] not null default '{}'
);

create index on core.report (app);

comment on table  core.report is 'Reports of the installed apps. Global.';
comment on column core.report.name is 'What commands call it.';
comment on column core.report.app is 'The app that brought it.';
comment on column core.report.title is 'What it tells, in a line.';
comment on column core.report.view_name is 'Its view in the schema report.';
comment on column core.report.sort_order is 'Columns that sort it, those with a minus the largest first.';

grant select on core.report to fettle_app, fettle_worker, fettle_admin;

create table core.report_login (
  role_name  name primary key,
  company_id uuid not null references core.company (id)
);

create index on core.report_login (company_id);

comment on table  core.report_login is
  'Which company a login of the group fettle_report_company sees. Global; kept by operators.';
comment on column core.report_login.role_name is 'The database login.';
comment on column core.report_login.company_id is 'The one company whose reports it reads.';

alter table core.report_login enable row level security;
alter table core.report_login force row level security;
create policy operator on core.report_login to fettle_admin using (true) with check (true);
create policy doors on core.report_login for select to fettle_auth using (true);
grant select, insert, update (company_id), delete on core.report_login to fettle_admin;
grant select on core.report_login to fettle_auth;
