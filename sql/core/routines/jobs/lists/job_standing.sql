-- Returns a queued row with its job's current state; the state is null if the job has a newer row.
--
-- A job that was enqueued again is listed by its newest row only.
--
-- execute: fettle_app, fettle_worker, fettle_admin
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      jit = off, plan_cache_mode = force_generic_plan
create function core.job_standing(p_line core.job_line) returns core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
as $$
declare
  line core.job_line := p_line;
begin
  line.state := null;
  perform from core.job_queued n
  where n.company_id = line.company_id and n.id = line.id and n.round > line.round;
  if found then return line; end if;
  select j.state, j.attempt, j.run_at, j.finished_at, j.worker_id
  into line.state, line.attempt, line.run_at, line.finished_at, line.worker_id
  from core.job j
  where j.company_id = line.company_id and j.id = line.id
  limit 1;
  return line;
end
$$;
