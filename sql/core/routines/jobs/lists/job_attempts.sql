-- Returns the attempts of a job of the transaction's company, oldest first.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.job_attempts(p_id uuid)
  returns table (attempt integer, started_at timestamptz, finished_at timestamptz, outcome text, error text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select a.attempt, a.started_at, a.finished_at, a.outcome, a.error
  from core.job_run a
  where a.company_id = core.current_company() and a.job_id = p_id
  order by a.attempt, a.fence
$$;
