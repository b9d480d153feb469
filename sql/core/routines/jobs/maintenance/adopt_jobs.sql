-- Adopts the queue after a restore from a dump, begins a new epoch of the data, and returns the number of open jobs;
-- does nothing and returns 0 if nothing was restored.
--
-- Finished jobs stay finished and keep their attempts; open jobs are deferred and due at once. Every
-- statement uses indexes, because a restored database has no statistics yet.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      jit = off
create function core.adopt_jobs() returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  adopted integer;
begin
  if core.jobs_are_home() then return 0; end if;
  perform pg_advisory_xact_lock(hashtextextended('core.job_home', 7450));
  if core.jobs_are_home() then return 0; end if;
  -- The locks keep other sessions from enqueuing meanwhile. In a row that was enqueued after the restore,
  -- xmin equals the recorded xid: no claim of the dump contains that row.
  lock table core.job_queued, core.job_claim, core.job_ack in access exclusive mode;
  with last_row as materialized (
    select p.*, c.no, c.worker_id, c.at as claimed_at, s.at as finished_at, a.outcome, a.finished_at as attempt_finished_at,
      s.at is not null or coalesce(a.outcome = 'succeeded', false) as has_succeeded,
      exists (
        select from core.job_stop t where t.company_id = p.company_id and t.id = p.id and t.round = p.round) as is_stopped
    from core.job_queued p
    left join lateral (
      -- include: claim_of_row of=p columns=c.week,c.no,c.worker_id,c.at
    ) c on p.xmin::text::bigint <> p.xid::text::bigint & 4294967295
    left join lateral (
      select s.at from core.job_ack s
      where s.week = c.week and s.company_id = p.company_id and s.lane = p.lane and s.no = c.no and s.outcome = 'finished'
      limit 1
    ) s on true
    left join lateral (
      select a.outcome, a.finished_at from core.job_attempt a
      where a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = c.no
      limit 1
    ) a on true
    where not exists (
        select from core.job_queued n where n.company_id = p.company_id and n.id = p.id and n.round > p.round)
      and not exists (select from core.job_deferred w where w.company_id = p.company_id and w.id = p.id)
      and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  ), attempts as (
    -- Successes that only the acknowledgement of a claim recorded.
    insert into core.job_attempt
      (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome)
    select p.company_id, p.id, p.attempt + 1, p.no, p.worker_id, p.claimed_at, p.finished_at, 'succeeded'
    from last_row p
    where p.finished_at is not null and p.outcome is null
  ), ended as (
    insert into core.job_end
      (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, unique_key,
       created_at, cause_type, cause_id, trace_id, payload)
    select p.company_id, p.id, p.round, case when p.has_succeeded then 'succeeded' else 'cancelled' end,
      coalesce(p.attempt_finished_at, p.finished_at, clock_timestamp()), p.lane, p.queue, p.kind, p.priority,
      p.attempt + case when p.no is null then 0 else 1 end, p.max_attempts, p.unique_key, p.created_at, p.cause_type,
      p.cause_id, p.trace_id, p.payload
    from last_row p
    where p.has_succeeded or p.is_stopped
  ), waiting as (
    insert into core.job_deferred
      (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone, unique_key,
       created_at, cause_type, cause_id, trace_id, payload)
    select p.company_id, p.id, p.round + 1, clock_timestamp(), p.lane, p.queue, p.kind, p.priority, p.attempt,
      p.max_attempts, p.is_alone, p.unique_key, p.created_at, p.cause_type, p.cause_id, p.trace_id, p.payload
    from last_row p
    where not p.has_succeeded and not p.is_stopped
    returning id
  )
  select count(*) into adopted from waiting;
  perform core.free_job_key(e.company_id, e.kind, e.unique_key, e.id)
  from core.job_stop t
  join core.job_end e on e.company_id = t.company_id and e.id = t.id
  where e.unique_key is not null;
  delete from core.job_ack;
  delete from core.job_claim;
  delete from core.job_queued;
  delete from core.job_stop;
  delete from core.job_begin;
  delete from core.job_count;
  delete from core.job_moment;
  update core.job_count_mark set upto = '1:1:', counted_at = '-infinity', scanned_at = '-infinity';
  delete from core.worker;
  update core.job_home set xid = pg_current_xact_id();
  perform core.begin_epoch();
  return adopted;
end
$$;
