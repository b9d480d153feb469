-- Cost, entries and hours per machine, category of work and month of the report.
-- columns: company_id uuid, company text, month date, machine text, machine_name text, category text, entries bigint,
--   entries_without_cost bigint, cost numeric, hours numeric
create view report.v1_cost_by_month with (security_invoker = true, security_barrier = true) as
select
  y.company_id,
  c.slug as company,
  y.month,
  m.code as machine,
  m.name as machine_name,
  k.name as category,
  y.entries,
  y.entries_without_cost,
  y.cost,
  y.hours
from (
  select
    e.company_id,
    e.machine_id,
    e.category_id,
    date_trunc('month', e.reported_on::timestamp)::date as month,
    count(*) as entries,
    count(*) filter (where e.actual_cost is null) as entries_without_cost,
    coalesce(sum(e.actual_cost), 0) as cost,
    coalesce(sum(h.hours), 0) as hours
  from maintenance.entry e
  left join (
    select t.company_id, t.entry_id, sum(t.actual_hours) as hours
    from maintenance.time_entry t
    where t.deleted_at is null
    group by t.company_id, t.entry_id
  ) h on h.company_id = e.company_id and h.entry_id = e.id
  where e.deleted_at is null
  group by e.company_id, e.machine_id, e.category_id, date_trunc('month', e.reported_on::timestamp)
) y
join core.company c on c.id = y.company_id
join maintenance.machine m on m.company_id = y.company_id and m.id = y.machine_id
join maintenance.category k on k.company_id = y.company_id and k.id = y.category_id;

comment on column report.v1_cost_by_month.company_id is 'The company.';
comment on column report.v1_cost_by_month.company is 'Short name of the company.';
comment on column report.v1_cost_by_month.month is 'First day of the month in which the entries were reported.';
comment on column report.v1_cost_by_month.machine is 'Code of the machine.';
comment on column report.v1_cost_by_month.machine_name is 'Name of the machine.';
comment on column report.v1_cost_by_month.category is 'Category of the work.';
comment on column report.v1_cost_by_month.entries is 'Number of entries in any status.';
comment on column report.v1_cost_by_month.entries_without_cost is 'Number of entries whose cost is not known.';
comment on column report.v1_cost_by_month.cost is 'Sum of the known costs of the entries.';
comment on column report.v1_cost_by_month.hours is 'Hours worked on the entries, in any month.';
