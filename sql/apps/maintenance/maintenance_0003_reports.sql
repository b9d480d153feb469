-- The operators' contract: versioned views with a comment on every column. A view never changes its columns;
-- a new shape is a new version beside it. Each runs as its caller, reads tables only and says which company a
-- row is of.

create view report.v1_backlog with (security_invoker = true) as
select
  e.company_id,
  c.slug as company,
  m.code as machine,
  m.name as machine_name,
  count(*) filter (where e.status_category = 'open') as open_entries,
  count(*) filter (where e.status_category = 'active') as in_progress_entries,
  count(*) filter (where a.days <= 7) as up_to_7_days,
  count(*) filter (where a.days between 8 and 30) as up_to_30_days,
  count(*) filter (where a.days between 31 and 90) as up_to_90_days,
  count(*) filter (where a.days > 90) as over_90_days,
  min(e.reported_on) as oldest_reported_on,
  max(a.days) as oldest_days,
  sum(e.estimated_hours) as estimated_hours
from maintenance.entry e
join core.company c on c.id = e.company_id
join maintenance.machine m on m.company_id = e.company_id and m.id = e.machine_id
cross join lateral (
  select (now() at time zone c.timezone)::date - e.reported_on as days
) a
where e.status_category <> 'done'
  and e.deleted_at is null
group by e.company_id, c.slug, m.id, m.code, m.name;

comment on view report.v1_backlog is
  'Backlog and ageing: for each machine with entries that are not done, how many and for how long.';
comment on column report.v1_backlog.company_id is 'The company.';
comment on column report.v1_backlog.company is 'Short name of the company.';
comment on column report.v1_backlog.machine is 'Code of the machine.';
comment on column report.v1_backlog.machine_name is 'Name of the machine.';
comment on column report.v1_backlog.open_entries is 'Entries that wait.';
comment on column report.v1_backlog.in_progress_entries is 'Entries under way.';
comment on column report.v1_backlog.up_to_7_days is 'Entries not done that were reported at most 7 days ago.';
comment on column report.v1_backlog.up_to_30_days is 'Entries not done that were reported 8 to 30 days ago.';
comment on column report.v1_backlog.up_to_90_days is 'Entries not done that were reported 31 to 90 days ago.';
comment on column report.v1_backlog.over_90_days is
  'Entries not done that were reported more than 90 days ago.';
comment on column report.v1_backlog.oldest_reported_on is 'Day on which the oldest of them was reported.';
comment on column report.v1_backlog.oldest_days is 'Age of the oldest in days, where the company is.';
comment on column report.v1_backlog.estimated_hours is 'Hours that they are expected to take together.';

create view report.v1_machine_cost_by_year with (security_invoker = true) as
select
  y.company_id,
  c.slug as company,
  m.code as machine,
  m.name as machine_name,
  y.year,
  y.entries,
  y.cost,
  y.average_cost,
  y.hours
from (
  select
    e.company_id,
    e.machine_id,
    extract(year from e.reported_on)::integer as year,
    count(*) as entries,
    coalesce(sum(e.actual_cost), 0) as cost,
    round(avg(e.actual_cost), 2) as average_cost,
    coalesce(sum(h.hours), 0) as hours
  from maintenance.entry e
  left join (
    select t.company_id, t.entry_id, sum(t.actual_hours) as hours
    from maintenance.time_entry t
    where t.deleted_at is null
    group by t.company_id, t.entry_id
  ) h on h.company_id = e.company_id and h.entry_id = e.id
  where e.deleted_at is null
  group by e.company_id, e.machine_id, extract(year from e.reported_on)
) y
join core.company c on c.id = y.company_id
join maintenance.machine m on m.company_id = y.company_id and m.id = y.machine_id;

comment on view report.v1_machine_cost_by_year is
  'Cost and entries per machine and year, the year being that in which an entry was reported.';
comment on column report.v1_machine_cost_by_year.company_id is 'The company.';
comment on column report.v1_machine_cost_by_year.company is 'Short name of the company.';
comment on column report.v1_machine_cost_by_year.machine is 'Code of the machine.';
comment on column report.v1_machine_cost_by_year.machine_name is 'Name of the machine.';
comment on column report.v1_machine_cost_by_year.year is 'Year in which the entries were reported.';
comment on column report.v1_machine_cost_by_year.entries is 'Number of entries, done or not.';
comment on column report.v1_machine_cost_by_year.cost is 'Sum of their costs, as far as known.';
comment on column report.v1_machine_cost_by_year.average_cost is
  'Mean cost of the entries whose cost is known; null if none is.';
comment on column report.v1_machine_cost_by_year.hours is 'Hours that were worked on those entries.';

select core.attach_report('report.v1_backlog');
select core.attach_report('report.v1_machine_cost_by_year');
