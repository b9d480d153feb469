-- Downtime of machines per reason, from history.
-- columns: company_id uuid, company text, machine text, machine_name text, reason text, spells bigint,
--   hours_down numeric, is_down boolean, first_from timestamp with time zone,
--   last_from timestamp with time zone
create view report.v1_downtime with (security_invoker = true, security_barrier = true) as
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

comment on column report.v1_downtime.company_id is 'The company.';
comment on column report.v1_downtime.company is 'Short name of the company.';
comment on column report.v1_downtime.machine is 'Code of the machine.';
comment on column report.v1_downtime.machine_name is 'Name of the machine.';
comment on column report.v1_downtime.reason is
  'Comment of the transition that took the machine out of service; empty if none.';
comment on column report.v1_downtime.spells is 'Number of periods out of service.';
comment on column report.v1_downtime.hours_down is
  'Hours out of service; a period that has not ended counts until now.';
comment on column report.v1_downtime.is_down is 'True if a period has not ended.';
comment on column report.v1_downtime.first_from is 'Start of the first period.';
comment on column report.v1_downtime.last_from is 'Start of the last period.';
