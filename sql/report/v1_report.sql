-- The reports there are; of no company.
create view report.v1_report with (security_invoker = true) as
select
  r.name,
  r.app,
  r.title,
  r.view_name,
  r.sort_order
from core.report r;

comment on column report.v1_report.name is 'What commands call it.';
comment on column report.v1_report.app is 'The app that brought it.';
comment on column report.v1_report.title is 'What it tells, in a line.';
comment on column report.v1_report.view_name is 'Its view in the schema report.';
comment on column report.v1_report.sort_order is
  'Columns that sort it, those with a minus the largest first.';
