-- Hours worked per machine, person and month.
-- columns: company_id uuid, company text, month date, machine text, person text, time_entries bigint,
--   entries bigint, hours numeric
create view report.v1_hours with (security_invoker = true, security_barrier = true) as
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

comment on column report.v1_hours.company_id is 'The company.';
comment on column report.v1_hours.company is 'Short name of the company.';
comment on column report.v1_hours.month is 'First day of the month of the work date.';
comment on column report.v1_hours.machine is 'Code of the machine.';
comment on column report.v1_hours.person is 'Name of the worker when the hours were logged.';
comment on column report.v1_hours.time_entries is 'Number of time entries.';
comment on column report.v1_hours.entries is 'Number of maintenance entries worked on.';
comment on column report.v1_hours.hours is 'Hours worked.';
