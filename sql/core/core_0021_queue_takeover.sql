-- What the first queue had goes into this one; then the first one goes.
-- What the old table has is taken over: what is open waits for its time, which may be now.
create function core.job_lane(p_company_id uuid, p_queue text, p_kind text, p_priority integer) returns uuid
  language sql immutable
  set search_path = ''
as $$
  select md5(p_company_id::text || '/' || p_queue || '/' || p_kind || '/' || p_priority::text)::uuid
$$;

comment on function core.job_lane(uuid, text, text, integer) is 'The lane of the jobs of a company, queue, kind and priority.';
grant execute on function core.job_lane(uuid, text, text, integer) to fettle_app, fettle_worker, fettle_admin, fettle_auth;

alter table core.job no force row level security;
alter table core.job_payload no force row level security;
alter table core.job_wait no force row level security;
alter table core.job_end no force row level security;
alter table core.job_key no force row level security;

insert into core.job_wait
  (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, unique_key, created_at,
   cause_type, cause_id, trace_id, payload)
select j.company_id, j.id, j.attempt + 1, j.run_at, core.job_lane(j.company_id, j.queue, j.kind, j.priority), j.queue,
  j.kind, j.priority, least(j.attempt, j.max_attempts - 1), j.max_attempts, j.unique_key, j.created_at, p.cause_type,
  p.cause_id, p.trace_id, coalesce(p.payload, '{}')
from core.job j
left join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
where j.state in ('queued', 'retrying', 'running');

insert into core.job_end
  (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, unique_key, created_at,
   cause_type, cause_id, trace_id, payload)
select j.company_id, j.id, j.attempt + 1, j.state, j.finished_at,
  core.job_lane(j.company_id, j.queue, j.kind, j.priority), j.queue, j.kind, j.priority, j.attempt, j.max_attempts,
  j.unique_key, j.created_at, p.cause_type, p.cause_id, p.trace_id, coalesce(p.payload, '{}')
from core.job j
left join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
where j.state in ('succeeded', 'dead', 'cancelled');

insert into core.job_key (company_id, kind, key, job_id)
select j.company_id, j.kind, j.unique_key, j.id
from core.job j
where j.unique_key is not null and j.state in ('queued', 'retrying', 'running');

alter table core.job_wait force row level security;
alter table core.job_end force row level security;
alter table core.job_key force row level security;

alter table core.job_attempt_before no force row level security;
alter table core.job_attempt no force row level security;
insert into core.job_attempt
  (week, company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome, error)
select date_trunc('week', coalesce(a.finished_at, now()))::date, a.company_id, a.job_id, a.attempt, a.fence, a.worker_id,
  a.started_at, a.finished_at, a.outcome, a.error
from core.job_attempt_before a;
alter table core.job_attempt force row level security;

drop table core.job_attempt_before;
drop table core.job_payload;
drop table core.job;
