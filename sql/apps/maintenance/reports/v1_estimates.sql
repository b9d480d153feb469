-- Estimated against actual hours per machine and year, of completed entries with logged hours.
-- columns: company_id uuid, company text, machine text, year integer, entries bigint, estimated_hours numeric,
--   actual_hours numeric, difference numeric, ratio numeric
create view report.v1_estimates with (security_invoker = true, security_barrier = true) as
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

comment on column report.v1_estimates.company_id is 'The company.';
comment on column report.v1_estimates.company is 'Short name of the company.';
comment on column report.v1_estimates.machine is 'Code of the machine.';
comment on column report.v1_estimates.year is 'Year in which the entries were reported.';
comment on column report.v1_estimates.entries is 'Number of completed entries with logged hours.';
comment on column report.v1_estimates.estimated_hours is 'Estimated hours of the entries.';
comment on column report.v1_estimates.actual_hours is 'Hours worked on the entries.';
comment on column report.v1_estimates.difference is 'Actual minus estimated hours; negative if fewer were needed.';
comment on column report.v1_estimates.ratio is 'Actual divided by estimated hours; null if the estimate is 0.';
