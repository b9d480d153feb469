-- Number of jobs per company, queue and kind that have not succeeded.
-- columns: company_id uuid, company text, queue text, kind text, waiting numeric, deferred numeric,
--   retrying numeric, running numeric, dead numeric, cancelled numeric
create view report.v1_job with (security_invoker = true, security_barrier = true) as
select
  j.company_id,
  c.slug as company,
  j.queue,
  j.kind,
  coalesce(sum(j.jobs) filter (where j.state = 'waiting'), 0) as waiting,
  coalesce(sum(j.jobs) filter (where j.state = 'deferred'), 0) as deferred,
  coalesce(sum(j.jobs) filter (where j.state = 'retrying'), 0) as retrying,
  coalesce(sum(j.jobs) filter (where j.state = 'running'), 0) as running,
  coalesce(sum(j.jobs) filter (where j.state = 'dead'), 0) as dead,
  coalesce(sum(j.jobs) filter (where j.state = 'cancelled'), 0) as cancelled
from (
  select t.company_id, t.queue, t.kind, 'waiting' as state, t.enqueued - t.claimed as jobs
  from core.job_count t
  union all
  select w.company_id, w.queue, w.kind, case when w.attempt = 0 then 'deferred' else 'retrying' end, 1
  from core.job_deferred w
  union all
  select k.company_id, t.queue, t.kind, 'running', k.jobs
  from core.job_claim k
  join core.job_count t on t.company_id = k.company_id and t.lane = k.lane
  where not exists (
    select from core.job_ack s
    where s.company_id = k.company_id and s.lane = k.lane and s.no = k.no
  )
  union all
  select e.company_id, e.queue, e.kind, e.state, 1
  from core.job_end e
) j
join core.company c on c.id = j.company_id
group by j.company_id, c.slug, j.queue, j.kind
having sum(j.jobs) > 0;

comment on column report.v1_job.company_id is 'The company; the system company for the engine''s own jobs.';
comment on column report.v1_job.company is 'Short name of the company.';
comment on column report.v1_job.queue is 'The queue.';
comment on column report.v1_job.kind is 'The kind of job.';
comment on column report.v1_job.waiting is
  'Number of queued jobs at the last update of the counters; workers update these every few seconds.';
comment on column report.v1_job.deferred is 'Number of jobs scheduled for later, before their first attempt.';
comment on column report.v1_job.retrying is 'Number of failed jobs that wait for their next attempt.';
comment on column report.v1_job.running is
  'Number of jobs in unacknowledged claims, including finished ones.';
comment on column report.v1_job.dead is 'Number of dead jobs.';
comment on column report.v1_job.cancelled is 'Number of cancelled jobs.';
