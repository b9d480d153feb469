-- Periods of machines out of service, from history; down_until is null for a period that has not ended.
create view maintenance.v_machine_downtime with (security_invoker = true) as
select
  h.company_id,
  h.record_id as machine_id,
  h.occurred_at as down_from,
  h.next_at as down_until,
  round(extract(epoch from coalesce(h.next_at, now()) - h.occurred_at) / 3600, 2) as hours_down,
  h.comment as reason
from (
  select
    x.company_id, x.record_id, x.to_status, x.occurred_at, x.comment,
    lead(x.occurred_at) over (partition by x.company_id, x.record_id order by x.seq) as next_at
  from core.history x
  where x.record_type = 'maintenance.machine'
    and x.to_status is distinct from x.from_status
) h
where h.to_status = 'out_of_service';

comment on column maintenance.v_machine_downtime.machine_id is 'Machine that was out of service.';
comment on column maintenance.v_machine_downtime.down_from is 'Start of the period out of service.';
comment on column maintenance.v_machine_downtime.down_until is
  'End of the period out of service; null if it has not ended.';
comment on column maintenance.v_machine_downtime.hours_down is
  'Duration in hours; up to now if the period has not ended.';
comment on column maintenance.v_machine_downtime.reason is
  'Comment of the transition that took the machine out of service; null if none.';
