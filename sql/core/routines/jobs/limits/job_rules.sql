-- Returns the pauses and limits of all companies, for workers.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.job_rules()
  returns table (
    rule text, company_id uuid, id uuid, queue text, kind text, each_company boolean, max_running integer,
    rate_count integer, rate_seconds double precision)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select 'pause', p.company_id, p.id, p.queue, p.kind, false, null::integer, null::integer, null::double precision
  from core.job_pause p
  union all
  select 'limit', l.company_id, l.id, l.queue, l.kind, l.each_company, l.max_running, l.rate_count,
    extract(epoch from l.rate_period)::double precision
  from core.job_limit l
$$;
