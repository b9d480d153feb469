-- Entries that are past their due date and not done.
-- columns: company_id uuid, company text, machine text, entry text, description text, status text,
--   priority smallint, due_on date, days_overdue integer, age_days integer, is_assigned boolean,
--   is_planned boolean, zone_unknown boolean
create view report.v1_overdue with (security_invoker = true, security_barrier = true) as
select
  e.company_id,
  c.slug as company,
  m.code as machine,
  coalesce(e.number, e.external_ref, left(e.id::text, 8)) as entry,
  e.description,
  e.status,
  e.priority,
  e.due_on,
  d.today - e.due_on as days_overdue,
  d.today - e.reported_on as age_days,
  e.assigned_to is not null as is_assigned,
  e.plan_id is not null as is_planned,
  c.zone <> c.timezone as zone_unknown
from maintenance.entry e
join (
  -- One call for each company, not for each row.
  select k.id, k.slug, k.timezone, core.known_zone(k.timezone) as zone from core.company k offset 0
) c on c.id = e.company_id
join maintenance.machine m on m.company_id = e.company_id and m.id = e.machine_id
cross join lateral (select (now() at time zone c.zone)::date as today) d
where e.status_category <> 'done'
  and e.deleted_at is null
  and e.due_on < d.today;

comment on column report.v1_overdue.company_id is 'The company.';
comment on column report.v1_overdue.company is 'Short name of the company.';
comment on column report.v1_overdue.machine is 'Code of the machine.';
comment on column report.v1_overdue.entry is
  'Entry number; if none, the external reference or the first 8 characters of the id.';
comment on column report.v1_overdue.description is 'Description of the work.';
comment on column report.v1_overdue.status is 'Status of the entry.';
comment on column report.v1_overdue.priority is 'Priority: 1 urgent, 2 normal, 3 low, 4 when convenient.';
comment on column report.v1_overdue.due_on is 'Due date.';
comment on column report.v1_overdue.days_overdue is 'Days since the due date, in the company''s time zone.';
comment on column report.v1_overdue.age_days is 'Days since the entry was reported, in the company''s time zone.';
comment on column report.v1_overdue.is_assigned is 'True if the entry is assigned to a member.';
comment on column report.v1_overdue.is_planned is 'True if a preventive plan created the entry.';
comment on column report.v1_overdue.zone_unknown is
  'True if the company''s time zone is unknown to PostgreSQL: days are those of UTC.';
