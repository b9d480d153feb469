-- The payloads and causes of all jobs, one row each.
--
-- select: fettle_app, fettle_worker
create view core.job_payload with (security_invoker = true) as
select w.company_id, w.id as job_id, w.payload, w.cause_type, w.cause_id, w.trace_id from core.job_deferred w
union all
select e.company_id, e.id, e.payload, e.cause_type, e.cause_id, e.trace_id from core.job_end e
union all
select p.company_id, p.id, p.payload, p.cause_type, p.cause_id, p.trace_id
from core.job_queued p
where not exists (select from core.job_deferred w where w.company_id = p.company_id and w.id = p.id)
  and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  and not exists (
    select from core.job_queued n where n.company_id = p.company_id and n.id = p.id and n.round > p.round);

comment on column core.job_payload.company_id is 'The company.';
comment on column core.job_payload.job_id is 'The job.';
comment on column core.job_payload.payload is 'Input of the handler: ids, never permissions.';
comment on column core.job_payload.cause_type is 'Type of the record that caused the job; null if none.';
comment on column core.job_payload.cause_id is 'Record that caused the job; null if none.';
comment on column core.job_payload.trace_id is 'Trace of the request that caused the job; null if none.';
