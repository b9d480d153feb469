-- Hours of one person that overlap, as pairs; a guest is known by the name.
-- columns: company_id uuid, company text, person text, work_date date, entry text,
--   start_time time without time zone, end_time time without time zone, other_date date, other_entry text,
--   other_start time without time zone, other_end time without time zone, overlapping_hours numeric
create view report.v1_overlapping_hours with (security_invoker = true, security_barrier = true) as
select
  t.company_id,
  c.slug as company,
  t.user_name as person,
  t.work_date,
  coalesce(e.number, e.description) as entry,
  t.start_time,
  t.end_time,
  o.work_date as other_date,
  coalesce(x.number, x.description) as other_entry,
  o.start_time as other_start,
  o.end_time as other_end,
  round(
    extract(epoch from least(t.ended_at, o.ended_at) - greatest(t.started_at, o.started_at)) / 3600, 2)
    as overlapping_hours
from maintenance.time_entry t
join maintenance.time_entry o
  on o.company_id = t.company_id
  and o.work_date between t.work_date - 1 and t.work_date + 1
  and (o.user_id = t.user_id
    or t.user_id is null and o.user_id is null and lower(btrim(o.user_name)) = lower(btrim(t.user_name)))
  and o.started_at < t.ended_at
  and o.ended_at > t.started_at
  -- Each pair once.
  and (o.started_at, o.id) > (t.started_at, t.id)
  and o.deleted_at is null
join core.company c on c.id = t.company_id
join maintenance.entry e on e.company_id = t.company_id and e.id = t.entry_id
join maintenance.entry x on x.company_id = o.company_id and x.id = o.entry_id
where t.deleted_at is null;

comment on column report.v1_overlapping_hours.company_id is 'The company.';
comment on column report.v1_overlapping_hours.company is 'Short name of the company.';
comment on column report.v1_overlapping_hours.person is 'Name of the worker when the hours were logged.';
comment on column report.v1_overlapping_hours.work_date is 'Date on which the work began.';
comment on column report.v1_overlapping_hours.entry is 'Number of the maintenance entry, or its description.';
comment on column report.v1_overlapping_hours.start_time is 'Start of the work.';
comment on column report.v1_overlapping_hours.end_time is 'End of the work.';
comment on column report.v1_overlapping_hours.other_date is 'Date on which the overlapping work began.';
comment on column report.v1_overlapping_hours.other_entry is 'Maintenance entry of the overlapping work.';
comment on column report.v1_overlapping_hours.other_start is 'Start of the overlapping work.';
comment on column report.v1_overlapping_hours.other_end is 'End of the overlapping work.';
comment on column report.v1_overlapping_hours.overlapping_hours is 'Hours that are counted twice, before lunch breaks.';
