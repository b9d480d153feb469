-- Returns queued rows with their jobs' current states, in the order given; a state is null if the job has a newer row, and
-- for a line without a job. All lines at once, because the start of a statement on jobs costs more than a line.
--
-- A job that was enqueued again is listed by its newest row only.
--
-- execute: fettle_app, fettle_worker, fettle_admin
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      jit = off, plan_cache_mode = force_generic_plan
create function core.job_standings(p_lines core.job_line[]) returns setof core.job_line
  language sql stable
  set search_path = core, pg_temp
as $$
  select l.company_id, l.id, l.round, l.queue, l.kind, s.state, l.priority, s.attempt, l.max_attempts, s.run_at, l.created_at,
    s.finished_at, s.worker_id, l.lane, l.xid
  from unnest(p_lines) with ordinality l (
    company_id, id, round, queue, kind, state, priority, attempt, max_attempts, run_at, created_at, finished_at, worker_id,
    lane, xid, place)
  left join lateral (
    select j.state, j.attempt, j.run_at, j.finished_at, j.worker_id
    from core.job j
    where j.company_id = l.company_id and j.id = l.id and j.round >= l.round
      and not exists (
        select from core.job_queued n where n.company_id = l.company_id and n.id = l.id and n.round > l.round)
    limit 1
  ) s on true
  order by l.place
$$;
