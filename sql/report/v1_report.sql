-- The reports of the engine and of the installed apps.
-- columns: name text, app text, title text, view_name text, sort_order text[], permission text, chart jsonb
create view report.v1_report with (security_invoker = true, security_barrier = true) as
select
  r.name,
  coalesce(r.app, 'core') as app,
  r.title,
  r.view_name,
  r.sort_order,
  r.permission,
  r.chart
from core.report r;

comment on column report.v1_report.name is 'Name of the report in commands.';
comment on column report.v1_report.app is 'App that declares the report; core for the engine.';
comment on column report.v1_report.title is 'Title in one line.';
comment on column report.v1_report.view_name is 'Name of the view in the schema report.';
comment on column report.v1_report.sort_order is 'Sort columns; a leading minus means descending.';
comment on column report.v1_report.permission is
  'Permission that a member needs in addition to report.read; null if none.';
comment on column report.v1_report.chart is 'How the report is drawn: kind, x, y and series; null for a table only.';
