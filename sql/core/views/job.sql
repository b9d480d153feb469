-- All jobs, one row each, in their current state.
--
-- select: fettle_app, fettle_worker, fettle_admin, fettle_auth
create view core.job with (security_invoker = true) as
select w.company_id, w.id, w.queue, w.kind, case when w.attempt = 0 then 'queued' else 'retrying' end as state,
  w.priority, w.run_at, w.attempt, w.max_attempts, 0::bigint as fence, null::timestamptz as lease_until,
  null::uuid as worker_id, w.unique_key, w.created_at, null::timestamptz as finished_at, w.lane, w.cause_type, w.cause_id,
  w.trace_id, w.round
from core.job_deferred w
union all
select e.company_id, e.id, e.queue, e.kind, e.state, e.priority, e.created_at, e.attempt, e.max_attempts, 0, null, null,
  e.unique_key, e.created_at, e.finished_at, e.lane, e.cause_type, e.cause_id, e.trace_id, e.round
from core.job_end e
union all
select p.company_id, p.id, p.queue, p.kind,
  case
    when c.no is null then case when p.attempt = 0 then 'queued' else 'retrying' end
    when a.outcome = 'succeeded' or s.outcome = 'finished' then 'succeeded'
    else 'running'
  end,
  p.priority, p.created_at, p.attempt + case when c.no is null then 0 else 1 end, p.max_attempts, coalesce(c.no, 0),
  case when a.outcome is null and s.outcome is null then l.lease_until end, c.worker_id, p.unique_key, p.created_at,
  coalesce(a.finished_at, case when s.outcome = 'finished' then s.at end), p.lane, p.cause_type, p.cause_id, p.trace_id,
  p.round
from core.job_queued p
left join lateral (
  -- include: claim_of_row of=p columns=c.no,c.worker_id
) c on true
left join lateral (
  -- A subquery, because the planner would else read all acknowledgements of the lane.
  select s.outcome, s.at from core.job_ack s where s.company_id = p.company_id and s.lane = p.lane and s.no = c.no offset 0
) s on true
left join core.job_attempt a
  on a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = c.no
left join core.worker l on l.id = c.worker_id
where not exists (select from core.job_deferred w where w.company_id = p.company_id and w.id = p.id)
  and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  and not exists (
    select from core.job_queued n where n.company_id = p.company_id and n.id = p.id and n.round > p.round);

comment on column core.job.company_id is
  'Company that the job runs for; the system company for the engine''s own jobs.';
comment on column core.job.id is 'Id of the job; also its idempotency key towards other systems.';
comment on column core.job.queue is 'Queue, which decides which workers run the job.';
comment on column core.job.kind is 'Kind, which decides which handler runs the job.';
comment on column core.job.state is 'State: queued, running, retrying, succeeded, dead or cancelled.';
comment on column core.job.priority is 'Priority: 1 urgent, 2 normal, 3 low, 4 when idle.';
comment on column core.job.run_at is 'Earliest start time of a deferred job; otherwise the time of creation.';
comment on column core.job.attempt is 'Number of attempts that started.';
comment on column core.job.max_attempts is 'Number of failed attempts after which the job is dead.';
comment on column core.job.fence is
  'Number of the claim that contains the job; 0 if not claimed, deferred, dead or cancelled.';
comment on column core.job.lease_until is
  'End of the worker''s lease, after which the worker is lost; null if the job is not running.';
comment on column core.job.worker_id is
  'Worker that claimed the job; null if not claimed, deferred, dead or cancelled.';
comment on column core.job.unique_key is
  'Unique key: a company has at most one open job of the kind with this key; null if none.';
comment on column core.job.created_at is 'Time of creation.';
comment on column core.job.finished_at is 'Time at which the job ended; null if it has not ended.';
comment on column core.job.lane is 'Lane of the job.';
comment on column core.job.cause_type is 'Type of the record that caused the job; null if none.';
comment on column core.job.cause_id is 'Record that caused the job; null if none.';
comment on column core.job.trace_id is 'Trace of the request that caused the job; null if none.';
comment on column core.job.round is 'Number of the row that the job is enqueued as: 1, and one more each time that it waits again.';
