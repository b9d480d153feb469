-- Returns the payloads and causes of all jobs of the transaction's company.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.job_subjects()
  returns table (company_id uuid, job_id uuid, payload jsonb, cause_type text, cause_id uuid)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select w.company_id, w.id, w.payload, w.cause_type, w.cause_id
  from core.job_deferred w
  where w.company_id = core.current_company()
  union all
  select e.company_id, e.id, e.payload, e.cause_type, e.cause_id
  from core.job_end e
  where e.company_id = core.current_company()
  union all
  select p.company_id, p.id, p.payload, p.cause_type, p.cause_id
  from core.job_queued p
  where p.company_id = core.current_company() and p.round = 1
$$;
