-- The reports of the engine and of the installed apps.
create view report.v1_report with (security_invoker = true) as
select
  r.name,
  coalesce(r.app, 'core') as app,
  r.title,
  r.view_name,
  r.sort_order,
  r.permission
from core.report r;

comment on column report.v1_report.name is 'Name of the report in commands.';
comment on column report.v1_report.app is 'The app that brought it; core: the engine.';
comment on column report.v1_report.title is 'Title in one line.';
comment on column report.v1_report.view_name is 'Its view in the schema report.';
comment on column report.v1_report.sort_order is 'Columns that sort it; a leading minus: descending.';
comment on column report.v1_report.permission is
  'Permission that a member needs besides report.read; null: no other.';
