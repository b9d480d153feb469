-- Returns the number of jobs of all companies that were claimed in the last p_window, at most two hours, by
-- queue and kind.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.jobs_pace(p_window interval) returns table (queue text, kind text, started bigint)
  language sql stable
  set search_path = core, pg_temp
as $$
  select p.queue, p.kind, sum(p.started)::bigint
  from core.job_pace p
  where p.company_id = '00000000-0000-7000-8000-000000000000' and p.at > now() - p_window - interval '10 seconds'
  group by p.queue, p.kind
$$;
