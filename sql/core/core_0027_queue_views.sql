-- Jobs, attempts and payloads as people and reports read them, in whichever form they are kept.

set local row_security = on;

create function core.is_claimed(p_company uuid, p_lane uuid, p_xid xid8, p_id uuid) returns boolean
  language sql stable
  set search_path = core, pg_temp
as $$
  select exists (
    select from core.job_claim c
    where c.company_id = p_company and c.lane = p_lane
      and (c.lane, c.last_xid, c.last_id) >= (p_lane, p_xid, p_id)
      and (c.after_xid, c.after_id) < (p_xid, p_id)
      and pg_visible_in_snapshot(p_xid, c.upto) and not pg_visible_in_snapshot(p_xid, c.before)
  )
$$;

comment on function core.is_claimed(uuid, uuid, xid8, uuid) is 'Whether a posted job is part of a claim.';

create function core.job_subject(p_id uuid) returns jsonb
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select coalesce(
    (select w.payload from core.job_wait w where w.company_id = core.current_company() and w.id = p_id),
    (select e.payload from core.job_end e where e.company_id = core.current_company() and e.id = p_id),
    (select p.payload from core.job_post p
     where p.company_id = core.current_company() and p.id = p_id order by p.round desc limit 1)
  )
$$;

comment on function core.job_subject(uuid) is 'What a job of the company of the transaction is about.';

create function core.job_subjects()
  returns table (company_id uuid, job_id uuid, payload jsonb, cause_type text, cause_id uuid)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select w.company_id, w.id, w.payload, w.cause_type, w.cause_id
  from core.job_wait w
  where w.company_id = core.current_company()
  union all
  select e.company_id, e.id, e.payload, e.cause_type, e.cause_id
  from core.job_end e
  where e.company_id = core.current_company()
  union all
  select p.company_id, p.id, p.payload, p.cause_type, p.cause_id
  from core.job_post p
  where p.company_id = core.current_company() and p.round = 1
$$;

comment on function core.job_subjects() is
  'What the jobs of the company of the transaction are about, in every form in which they are kept.';

revoke execute on function core.is_claimed(uuid, uuid, xid8, uuid), core.job_subject(uuid), core.job_subjects()
  from public;
grant execute on function core.job_subject(uuid), core.job_subjects() to fettle_app, fettle_worker, fettle_admin;
grant execute on function core.is_claimed(uuid, uuid, xid8, uuid)
  to fettle_app, fettle_worker, fettle_admin, fettle_auth;

grant create on schema core to fettle_auth;
alter function core.job_subject(uuid) owner to fettle_auth;
alter function core.job_subjects() owner to fettle_auth;
revoke create on schema core from fettle_auth;

-- All jobs, as people look at them: each once, where it stands now.
create view core.job with (security_invoker = true) as
select w.company_id, w.id, w.queue, w.kind, case when w.attempt = 0 then 'queued' else 'retrying' end as state,
  w.priority, w.run_at, w.attempt, w.max_attempts, 0::bigint as fence, null::timestamptz as lease_until,
  null::uuid as worker_id, w.unique_key, w.created_at, null::timestamptz as finished_at, w.lane, w.cause_type, w.cause_id,
  w.trace_id
from core.job_wait w
union all
select e.company_id, e.id, e.queue, e.kind, e.state, e.priority, e.created_at, e.attempt, e.max_attempts, 0, null, null,
  e.unique_key, e.created_at, e.finished_at, e.lane, e.cause_type, e.cause_id, e.trace_id
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
  coalesce(a.finished_at, case when s.outcome = 'finished' then s.at end), p.lane, p.cause_type, p.cause_id, p.trace_id
from core.job_post p
left join lateral (
  select c.no, c.worker_id
  from core.job_claim c
  where c.company_id = p.company_id and c.lane = p.lane
    and (c.lane, c.last_xid, c.last_id) >= (p.lane, p.xid, p.id)
    and (c.after_xid, c.after_id) < (p.xid, p.id)
    and pg_visible_in_snapshot(p.xid, c.upto) and not pg_visible_in_snapshot(p.xid, c.before)
  order by c.lane, c.last_xid, c.last_id
  limit 1
) c on true
left join core.job_settlement s on s.company_id = p.company_id and s.lane = p.lane and s.no = c.no
left join core.job_attempt a
  on a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = c.no
left join core.worker l on l.id = c.worker_id
where not exists (select from core.job_wait w where w.company_id = p.company_id and w.id = p.id)
  and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  and not exists (
    select from core.job_post n where n.company_id = p.company_id and n.id = p.id and n.round > p.round);

comment on view core.job is 'All jobs, each once, where it stands now.';
comment on column core.job.company_id is 'The company it is done for; the system company for the engine''s own.';
comment on column core.job.id is 'Key of the job; also its idempotency key towards others.';
comment on column core.job.queue is 'Which workers take it.';
comment on column core.job.kind is 'Which handler runs it.';
comment on column core.job.state is 'queued, running, retrying, succeeded, dead or cancelled.';
comment on column core.job.priority is '1 urgent, 2 normal, 3 low, 4 when idle.';
comment on column core.job.run_at is 'Not before; when it was enqueued, once that is past.';
comment on column core.job.attempt is 'How often it was begun.';
comment on column core.job.max_attempts is 'After so many failures it is dead.';
comment on column core.job.fence is 'The claim it is part of.';
comment on column core.job.lease_until is 'While running: after this its worker is taken for lost.';
comment on column core.job.worker_id is 'Who has it, or had it last.';
comment on column core.job.unique_key is 'At most one open job of the kind and key in a company.';
comment on column core.job.created_at is 'When it was enqueued.';
comment on column core.job.finished_at is 'When it succeeded, died or was cancelled.';
comment on column core.job.lane is 'Its lane.';
comment on column core.job.cause_type is 'Type of the record that caused it.';
comment on column core.job.cause_id is 'The record that caused it.';
comment on column core.job.trace_id is 'Trace of the request that caused it.';
grant select on core.job to fettle_app, fettle_worker, fettle_admin;

create view core.job_run with (security_invoker = true) as
select a.company_id, a.job_id, a.attempt, a.fence, a.worker_id, a.started_at, a.finished_at, a.outcome, a.error
from core.job_attempt a
union all
select p.company_id, p.id, p.attempt + 1, c.no, c.worker_id, c.at, s.at, 'succeeded', null
from core.job_post p
cross join lateral (
  select c.no, c.worker_id, c.at
  from core.job_claim c
  where c.company_id = p.company_id and c.lane = p.lane
    and (c.lane, c.last_xid, c.last_id) >= (p.lane, p.xid, p.id)
    and (c.after_xid, c.after_id) < (p.xid, p.id)
    and pg_visible_in_snapshot(p.xid, c.upto) and not pg_visible_in_snapshot(p.xid, c.before)
  order by c.lane, c.last_xid, c.last_id
  limit 1
) c
join core.job_settlement s
  on s.company_id = p.company_id and s.lane = p.lane and s.no = c.no and s.outcome = 'finished'
where not exists (
    select from core.job_attempt a
    where a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = c.no)
  and not exists (select from core.job_wait w where w.company_id = p.company_id and w.id = p.id)
  and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  and not exists (
    select from core.job_post n where n.company_id = p.company_id and n.id = p.id and n.round > p.round);

comment on view core.job_run is 'Every attempt at every job, also those that succeeded as part of their claim.';
comment on column core.job_run.company_id is 'The company.';
comment on column core.job_run.job_id is 'The job.';
comment on column core.job_run.attempt is 'Which attempt, from 1; one that was put off does not count.';
comment on column core.job_run.fence is 'The claim it was part of.';
comment on column core.job_run.worker_id is 'Who made it.';
comment on column core.job_run.started_at is 'When it began; of one that succeeded as part of its claim, when that was made.';
comment on column core.job_run.finished_at is 'When it ended; of one that succeeded as part of its claim, when that was settled.';
comment on column core.job_run.outcome is 'succeeded, failed, snoozed (put off), lost (its worker died) or cancelled.';
comment on column core.job_run.error is 'What went wrong.';
grant select on core.job_run to fettle_app, fettle_worker, fettle_admin;

create view core.job_payload with (security_invoker = true) as
select w.company_id, w.id as job_id, w.payload, w.cause_type, w.cause_id, w.trace_id from core.job_wait w
union all
select e.company_id, e.id, e.payload, e.cause_type, e.cause_id, e.trace_id from core.job_end e
union all
select p.company_id, p.id, p.payload, p.cause_type, p.cause_id, p.trace_id
from core.job_post p
where not exists (select from core.job_wait w where w.company_id = p.company_id and w.id = p.id)
  and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  and not exists (
    select from core.job_post n where n.company_id = p.company_id and n.id = p.id and n.round > p.round);

comment on view core.job_payload is 'What jobs are about.';
comment on column core.job_payload.company_id is 'The company.';
comment on column core.job_payload.job_id is 'The job.';
comment on column core.job_payload.payload is 'Ids for the handler, never rights.';
comment on column core.job_payload.cause_type is 'Type of the record that caused it.';
comment on column core.job_payload.cause_id is 'The record that caused it.';
comment on column core.job_payload.trace_id is 'Trace of the request that caused it.';
grant select on core.job_payload to fettle_app, fettle_worker;
