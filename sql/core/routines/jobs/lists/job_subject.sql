-- Returns the payload of a job of the transaction's company.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.job_subject(p_id uuid) returns jsonb
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select coalesce(
    (select w.payload from core.job_deferred w where w.company_id = core.current_company() and w.id = p_id),
    (select e.payload from core.job_end e where e.company_id = core.current_company() and e.id = p_id),
    (select p.payload from core.job_queued p
     where p.company_id = core.current_company() and p.id = p_id order by p.round desc limit 1)
  )
$$;
