-- More of the operators' contract; see maintenance_0003_reports.sql for its rules.

create view report.v1_hours with (security_invoker = true) as
select
  t.company_id,
  c.slug as company,
  date_trunc('month', t.work_date)::date as month,
  m.code as machine,
  t.user_name as person,
  count(*) as time_entries,
  count(distinct t.entry_id) as entries,
  sum(t.actual_hours) as hours
from maintenance.time_entry t
join core.company c on c.id = t.company_id
join maintenance.entry e on e.company_id = t.company_id and e.id = t.entry_id
join maintenance.machine m on m.company_id = e.company_id and m.id = e.machine_id
where t.deleted_at is null
  and e.deleted_at is null
group by t.company_id, c.slug, date_trunc('month', t.work_date), m.id, m.code, t.user_name;

comment on view report.v1_hours is 'Hours worked per machine, person and month.';
comment on column report.v1_hours.company_id is 'The company.';
comment on column report.v1_hours.company is 'Short name of the company.';
comment on column report.v1_hours.month is 'First day of the month in which the work began.';
comment on column report.v1_hours.machine is 'Code of the machine.';
comment on column report.v1_hours.person is 'Who worked, by the name they had then.';
comment on column report.v1_hours.time_entries is 'Number of times that hours were written down.';
comment on column report.v1_hours.entries is 'Number of entries that were worked on.';
comment on column report.v1_hours.hours is 'Hours worked.';

create view report.v1_lead_times with (security_invoker = true) as
select
  e.company_id,
  c.slug as company,
  date_trunc('month', e.completed_at at time zone c.timezone)::date as month,
  count(*) as entries,
  round(percentile_cont(0.5) within group (order by s.hours_to_start)::numeric, 2) as median_hours_to_start,
  round(percentile_cont(0.9) within group (order by s.hours_to_start)::numeric, 2) as p90_hours_to_start,
  round(percentile_cont(0.5) within group (order by s.hours_to_complete)::numeric, 2) as median_hours_to_complete,
  round(percentile_cont(0.9) within group (order by s.hours_to_complete)::numeric, 2) as p90_hours_to_complete
from maintenance.entry e
join core.company c on c.id = e.company_id
cross join lateral (
  select
    extract(epoch from e.started_at - e.created_at)::float8 / 3600 as hours_to_start,
    extract(epoch from e.completed_at - e.created_at)::float8 / 3600 as hours_to_complete
) s
where e.status_category = 'done'
  and e.started_at >= e.created_at
  and e.completed_at >= e.started_at
  and e.deleted_at is null
group by e.company_id, c.slug, date_trunc('month', e.completed_at at time zone c.timezone);

comment on view report.v1_lead_times is
  'How long entries waited for work to start and to be completed, per month of completion. Entries that were taken '
  'over from elsewhere when they were done already do not count.';
comment on column report.v1_lead_times.company_id is 'The company.';
comment on column report.v1_lead_times.company is 'Short name of the company.';
comment on column report.v1_lead_times.month is 'First day of the month of completion, where the company is.';
comment on column report.v1_lead_times.entries is 'Entries completed in it.';
comment on column report.v1_lead_times.median_hours_to_start is
  'Half of them were started within so many hours after they were reported.';
comment on column report.v1_lead_times.p90_hours_to_start is 'Nine of ten were.';
comment on column report.v1_lead_times.median_hours_to_complete is
  'Half of them were completed within so many hours after they were reported.';
comment on column report.v1_lead_times.p90_hours_to_complete is 'Nine of ten were.';

create view report.v1_estimates with (security_invoker = true) as
select
  x.company_id,
  c.slug as company,
  m.code as machine,
  x.year,
  x.entries,
  x.estimated_hours,
  x.actual_hours,
  x.actual_hours - x.estimated_hours as difference,
  round(x.actual_hours / nullif(x.estimated_hours, 0), 2) as ratio
from (
  select
    e.company_id,
    e.machine_id,
    extract(year from e.reported_on)::integer as year,
    count(*) as entries,
    sum(e.estimated_hours) as estimated_hours,
    sum(h.hours) as actual_hours
  from maintenance.entry e
  join (
    select t.company_id, t.entry_id, sum(t.actual_hours) as hours
    from maintenance.time_entry t
    where t.deleted_at is null
    group by t.company_id, t.entry_id
  ) h on h.company_id = e.company_id and h.entry_id = e.id
  where e.status_category = 'done'
    and e.deleted_at is null
  group by e.company_id, e.machine_id, extract(year from e.reported_on)
) x
join core.company c on c.id = x.company_id
join maintenance.machine m on m.company_id = x.company_id and m.id = x.machine_id;

comment on view report.v1_estimates is
  'Estimated against actual hours per machine and year, of entries that are done and have hours written down.';
comment on column report.v1_estimates.company_id is 'The company.';
comment on column report.v1_estimates.company is 'Short name of the company.';
comment on column report.v1_estimates.machine is 'Code of the machine.';
comment on column report.v1_estimates.year is 'Year in which the entries were reported.';
comment on column report.v1_estimates.entries is 'Number of entries.';
comment on column report.v1_estimates.estimated_hours is 'Hours that they were expected to take.';
comment on column report.v1_estimates.actual_hours is 'Hours that were worked on them.';
comment on column report.v1_estimates.difference is 'Hours more than expected; negative for fewer.';
comment on column report.v1_estimates.ratio is 'Actual by estimated hours; null where none were expected.';

create view report.v1_downtime with (security_invoker = true) as
select
  d.company_id,
  c.slug as company,
  m.code as machine,
  m.name as machine_name,
  coalesce(d.comment, '') as reason,
  count(*) as spells,
  round(sum(extract(epoch from coalesce(d.next_at, now()) - d.occurred_at)) / 3600, 2) as hours_down,
  bool_or(d.next_at is null) as is_down,
  min(d.occurred_at) as first_from,
  max(d.occurred_at) as last_from
from (
  select
    x.company_id, x.record_id, x.to_status, x.occurred_at, x.comment,
    lead(x.occurred_at) over (partition by x.company_id, x.record_id order by x.seq) as next_at
  from core.history x
  where x.record_type = 'maintenance.machine'
    and x.to_status is not null
    and x.to_status is distinct from x.from_status
) d
join core.company c on c.id = d.company_id
join maintenance.machine m on m.company_id = d.company_id and m.id = d.record_id
where d.to_status = 'out_of_service'
  and m.deleted_at is null
group by d.company_id, c.slug, m.id, m.code, m.name, coalesce(d.comment, '');

comment on view report.v1_downtime is 'How long machines were out of service, per reason, from history.';
comment on column report.v1_downtime.company_id is 'The company.';
comment on column report.v1_downtime.company is 'Short name of the company.';
comment on column report.v1_downtime.machine is 'Code of the machine.';
comment on column report.v1_downtime.machine_name is 'Name of the machine.';
comment on column report.v1_downtime.reason is 'What was said when it was taken out of service.';
comment on column report.v1_downtime.spells is 'How often.';
comment on column report.v1_downtime.hours_down is 'For how many hours together, until now where it lasts.';
comment on column report.v1_downtime.is_down is 'It is out of service now.';
comment on column report.v1_downtime.first_from is 'When the first of these spells began.';
comment on column report.v1_downtime.last_from is 'When the last of these spells began.';

create view report.v1_overdue with (security_invoker = true) as
select
  e.company_id,
  c.slug as company,
  m.code as machine,
  coalesce(e.external_ref, left(e.id::text, 8)) as entry,
  e.description,
  e.status,
  e.priority,
  e.due_on,
  d.today - e.due_on as days_overdue,
  d.today - e.reported_on as age_days,
  e.assigned_to is not null as is_assigned,
  e.plan_id is not null as is_planned
from maintenance.entry e
join core.company c on c.id = e.company_id
join maintenance.machine m on m.company_id = e.company_id and m.id = e.machine_id
cross join lateral (select (now() at time zone c.timezone)::date as today) d
where e.status_category <> 'done'
  and e.deleted_at is null
  and e.due_on < d.today;

comment on view report.v1_overdue is 'Entries that are not done although the day they were due has passed.';
comment on column report.v1_overdue.company_id is 'The company.';
comment on column report.v1_overdue.company is 'Short name of the company.';
comment on column report.v1_overdue.machine is 'Code of the machine.';
comment on column report.v1_overdue.entry is 'Its number in another system, or the beginning of its id.';
comment on column report.v1_overdue.description is 'What is to be done.';
comment on column report.v1_overdue.status is 'How far it is.';
comment on column report.v1_overdue.priority is '1 urgent, 2 normal, 3 low, 4 when convenient.';
comment on column report.v1_overdue.due_on is 'The day it should have been done by.';
comment on column report.v1_overdue.days_overdue is 'Days since then, where the company is.';
comment on column report.v1_overdue.age_days is 'Days since it was reported.';
comment on column report.v1_overdue.is_assigned is 'Somebody is to do it.';
comment on column report.v1_overdue.is_planned is 'A preventive plan made it.';

create view report.v1_maintenance_company with (security_invoker = true) as
select
  c.id as company_id,
  c.slug as company,
  m.machines,
  m.out_of_service,
  e.pending,
  e.in_progress,
  e.completed,
  e.completed_30_days,
  e.overdue,
  e.open_estimated_hours,
  h.hours_30_days,
  e.cost_365_days,
  p.active_plans,
  u.active_members
from core.company c
cross join lateral (select (now() at time zone c.timezone)::date as today) d
cross join lateral (
  select
    count(*) as machines,
    count(*) filter (where x.status_category = 'open') as out_of_service
  from maintenance.machine x
  where x.company_id = c.id
    and x.status_category <> 'done'
    and x.deleted_at is null
) m
cross join lateral (
  select
    count(*) filter (where x.status_category = 'open') as pending,
    count(*) filter (where x.status_category = 'active') as in_progress,
    count(*) filter (where x.status_category = 'done') as completed,
    count(*) filter (where x.completed_at >= now() - interval '30 days') as completed_30_days,
    count(*) filter (where x.status_category <> 'done' and x.due_on < d.today) as overdue,
    coalesce(sum(x.estimated_hours) filter (where x.status_category <> 'done'), 0) as open_estimated_hours,
    coalesce(sum(x.actual_cost) filter (where x.reported_on > d.today - 365), 0) as cost_365_days
  from maintenance.entry x
  where x.company_id = c.id
    and x.deleted_at is null
) e
cross join lateral (
  select coalesce(sum(x.actual_hours), 0) as hours_30_days
  from maintenance.time_entry x
  where x.company_id = c.id
    and x.work_date > d.today - 30
    and x.deleted_at is null
) h
cross join lateral (
  select count(*) as active_plans
  from maintenance.pm_plan x
  where x.company_id = c.id
    and x.status_category = 'active'
    and x.deleted_at is null
) p
cross join lateral (
  select count(*) as active_members
  from core.membership x
  where x.company_id = c.id
    and x.status = 'active'
) u
where m.machines > 0
  or e.pending + e.in_progress + e.completed > 0;

comment on view report.v1_maintenance_company is 'Each company in a line: machines, work and people.';
comment on column report.v1_maintenance_company.company_id is 'The company.';
comment on column report.v1_maintenance_company.company is 'Short name of the company.';
comment on column report.v1_maintenance_company.machines is 'Machines that are not retired.';
comment on column report.v1_maintenance_company.out_of_service is 'Those of them that are out of service.';
comment on column report.v1_maintenance_company.pending is 'Entries that wait.';
comment on column report.v1_maintenance_company.in_progress is 'Entries under way.';
comment on column report.v1_maintenance_company.completed is 'Entries that are done, from the beginning.';
comment on column report.v1_maintenance_company.completed_30_days is 'Entries completed in the last 30 days.';
comment on column report.v1_maintenance_company.overdue is 'Entries not done whose day has passed.';
comment on column report.v1_maintenance_company.open_estimated_hours is
  'Hours that the entries not done are expected to take.';
comment on column report.v1_maintenance_company.hours_30_days is 'Hours worked in the last 30 days.';
comment on column report.v1_maintenance_company.cost_365_days is
  'Cost of the entries that were reported in the last 365 days, as far as known.';
comment on column report.v1_maintenance_company.active_plans is 'Preventive plans in force.';
comment on column report.v1_maintenance_company.active_members is 'Members who are active.';
