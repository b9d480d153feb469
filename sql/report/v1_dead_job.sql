-- Dead jobs with their last recorded error.
-- columns: company_id uuid, company text, job uuid, queue text, kind text, attempts integer, error text,
--   cause_type text, cause_id uuid, created_at timestamp with time zone, died_at timestamp with time zone
create view report.v1_dead_job with (security_invoker = true, security_barrier = true) as
select
  e.company_id,
  c.slug as company,
  e.id as job,
  e.queue,
  e.kind,
  e.attempt as attempts,
  a.error,
  e.cause_type,
  e.cause_id,
  e.created_at,
  e.finished_at as died_at
from core.job_end e
join core.company c on c.id = e.company_id
left join lateral (
  select x.error
  from core.job_attempt x
  where x.company_id = e.company_id
    and x.job_id = e.id
    and x.error is not null
  order by x.attempt desc, x.fence desc
  limit 1
) a on true
where e.state = 'dead';

comment on column report.v1_dead_job.company_id is 'The company; the system company for the engine''s own jobs.';
comment on column report.v1_dead_job.company is 'Short name of the company.';
comment on column report.v1_dead_job.job is 'Id of the job.';
comment on column report.v1_dead_job.queue is 'The queue.';
comment on column report.v1_dead_job.kind is 'The kind of job.';
comment on column report.v1_dead_job.attempts is 'Number of attempts that started.';
comment on column report.v1_dead_job.error is
  'Error of the last attempt that recorded one; null if none did or the attempts have been dropped.';
comment on column report.v1_dead_job.cause_type is 'Type of the record that caused the job; null if none.';
comment on column report.v1_dead_job.cause_id is 'Record that caused the job; null if none.';
comment on column report.v1_dead_job.created_at is 'Time of creation.';
comment on column report.v1_dead_job.died_at is 'Time at which the job died.';
