-- Cost and number of entries per machine and year of the report.
-- columns: company_id uuid, company text, machine text, machine_name text, year integer, entries bigint,
--   cost numeric, average_cost numeric, hours numeric
create view report.v1_machine_cost_by_year with (security_invoker = true, security_barrier = true) as
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

comment on column report.v1_machine_cost_by_year.company_id is 'The company.';
comment on column report.v1_machine_cost_by_year.company is 'Short name of the company.';
comment on column report.v1_machine_cost_by_year.machine is 'Code of the machine.';
comment on column report.v1_machine_cost_by_year.machine_name is 'Name of the machine.';
comment on column report.v1_machine_cost_by_year.year is 'Year in which the entries were reported.';
comment on column report.v1_machine_cost_by_year.entries is 'Number of entries in any status.';
comment on column report.v1_machine_cost_by_year.cost is 'Sum of the known costs of the entries.';
comment on column report.v1_machine_cost_by_year.average_cost is
  'Mean of the known costs; null if none is known.';
comment on column report.v1_machine_cost_by_year.hours is 'Hours worked on the entries.';
