-- Repairs per machine: how long entries that no plan created took until they were done. Means are of all repairs, so
-- that no mean of means is needed: weight them with the number of repairs that they count.
-- columns: company_id uuid, company text, machine text, machine_name text, repairs bigint, timed_repairs bigint,
--   mean_hours_to_repair numeric, median_hours_to_repair numeric, total_hours_to_repair numeric,
--   reported_repairs bigint, mean_hours_from_report numeric, hours_worked numeric, last_completed_at timestamp with time zone
create view report.v1_repair_times with (security_invoker = true, security_barrier = true) as
select
  e.company_id,
  c.slug as company,
  m.code as machine,
  m.name as machine_name,
  count(*) as repairs,
  count(s.hours_to_repair) as timed_repairs,
  round(avg(s.hours_to_repair), 2) as mean_hours_to_repair,
  round(percentile_cont(0.5) within group (order by s.hours_to_repair::float8)::numeric, 2) as median_hours_to_repair,
  round(coalesce(sum(s.hours_to_repair), 0), 2) as total_hours_to_repair,
  count(s.hours_from_report) as reported_repairs,
  round(avg(s.hours_from_report), 2) as mean_hours_from_report,
  coalesce(sum(h.hours), 0) as hours_worked,
  max(e.completed_at) as last_completed_at
from maintenance.entry e
join core.company c on c.id = e.company_id
join maintenance.machine m on m.company_id = e.company_id and m.id = e.machine_id
left join (
  select t.company_id, t.entry_id, sum(t.actual_hours) as hours
  from maintenance.time_entry t
  where t.deleted_at is null
  group by t.company_id, t.entry_id
) h on h.company_id = e.company_id and h.entry_id = e.id
cross join lateral (
  select
    case when e.completed_at >= e.started_at
      then extract(epoch from e.completed_at - e.started_at) / 3600 end as hours_to_repair,
    case when e.completed_at >= e.created_at
      then extract(epoch from e.completed_at - e.created_at) / 3600 end as hours_from_report
) s
where e.status_category = 'done'
  and e.plan_id is null
  and e.deleted_at is null
group by e.company_id, c.slug, m.id, m.code, m.name;

comment on column report.v1_repair_times.company_id is 'The company.';
comment on column report.v1_repair_times.company is 'Short name of the company.';
comment on column report.v1_repair_times.machine is 'Code of the machine.';
comment on column report.v1_repair_times.machine_name is 'Name of the machine.';
comment on column report.v1_repair_times.repairs is 'Number of entries that are done and that no plan created.';
comment on column report.v1_repair_times.timed_repairs is 'Number of repairs whose start and completion are known.';
comment on column report.v1_repair_times.mean_hours_to_repair is
  'Mean of the hours from start to completion of the timed repairs; null if there are none.';
comment on column report.v1_repair_times.median_hours_to_repair is
  'Median of the hours from start to completion of the timed repairs; null if there are none.';
comment on column report.v1_repair_times.total_hours_to_repair is
  'Sum of the hours from start to completion; divided by timed_repairs, the mean over several machines.';
comment on column report.v1_repair_times.reported_repairs is
  'Number of repairs completed after their entry was created; not those that were imported as done.';
comment on column report.v1_repair_times.mean_hours_from_report is
  'Mean of the hours from the creation of the entry to completion of the reported repairs; null if there are none.';
comment on column report.v1_repair_times.hours_worked is 'Hours that people worked on the repairs.';
comment on column report.v1_repair_times.last_completed_at is 'Time of the last completion; null if none is known.';
