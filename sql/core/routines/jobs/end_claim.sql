-- Ends an open claim of a worker early and enqueues its unfinished jobs again; returns their number, but at
-- least 1, or 0 if the worker no longer has the claim.
--
-- Unfinished jobs were not attempted, enqueued again, deferred or ended since the claim. p_is_lost: the
-- worker died, or could not write an outcome. A job that was alone in such a claim loses an attempt if it
-- definitely started, or if it was not claimed alone for safety and has attempts left. Of several jobs nobody
-- knows which of them started: no attempt counts. All unfinished jobs of a lost claim are claimed alone from
-- then on.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.end_claim(
    p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_is_lost boolean, p_error text, p_done uuid[] default null)
  returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  claim core.job_claim;
  job record;
  enqueued integer := 0;
  counts boolean;
  is_certain boolean;
begin
  select c.* into claim
  from core.job_claim c
  where c.company_id = p_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker
  for update;
  if not found then return 0; end if;
  insert into core.job_ack (week, company_id, lane, no, outcome)
  values (claim.week, p_company, p_lane, p_no, 'lost')
  on conflict do nothing;
  if not found then return 0; end if;
  if p_done is not null then
    perform core.record_success(p_company, p_lane, p_no, p_worker, p_done);
  end if;
  for job in
    select p.*, exists (
        select from core.job_stop t where t.company_id = p.company_id and t.id = p.id and t.round = p.round) as is_stopped
    from core.batch_of_lane(p_lane, claim.before, claim.upto, claim.after_xid, claim.after_id, claim.jobs) p
    where not exists (
        select from core.job_attempt a
        where a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = p_no)
      and not exists (
        select from core.job_queued n where n.company_id = p.company_id and n.id = p.id and n.round > p.round)
      and not exists (select from core.job_deferred w where w.company_id = p.company_id and w.id = p.id)
      and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  loop
    is_certain := exists (
      select from core.job_begin b where b.company_id = p_company and b.id = job.id and b.no = p_no);
    counts := p_is_lost and claim.jobs = 1
      and (is_certain or not job.is_alone and job.attempt + 1 < job.max_attempts);
    if counts then
      insert into core.job_attempt
        (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome, error)
      values (p_company, job.id, job.attempt + 1, p_no, p_worker, claim.at, clock_timestamp(), 'lost', p_error);
    end if;
    if job.is_stopped or counts and job.attempt + 1 >= job.max_attempts then
      insert into core.job_end
        (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, unique_key,
         created_at, cause_type, cause_id, trace_id, payload)
      values (job.company_id, job.id, job.round, case when job.is_stopped then 'cancelled' else 'dead' end,
        clock_timestamp(), job.lane, job.queue, job.kind, job.priority, job.attempt + case when counts then 1 else 0 end,
        job.max_attempts, job.unique_key, job.created_at, job.cause_type, job.cause_id, job.trace_id, job.payload);
      perform core.free_job_key(p_company, job.kind, job.unique_key, job.id);
    else
      insert into core.job_queued
        (company_id, lane, id, round, queue, kind, priority, attempt, max_attempts, is_alone, unique_key, created_at,
         cause_type, cause_id, trace_id, payload)
      values (job.company_id, job.lane, job.id, job.round + 1, job.queue, job.kind, job.priority,
        job.attempt + case when counts then 1 else 0 end, job.max_attempts, p_is_lost or job.is_alone, job.unique_key,
        job.created_at, job.cause_type, job.cause_id, job.trace_id, job.payload);
      enqueued := enqueued + 1;
    end if;
  end loop;
  return greatest(enqueued, 1);
end
$$;
