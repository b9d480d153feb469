-- Sets the limit for jobs of a company, queue and kind, replacing an existing one; returns its id.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.limit_jobs(
    p_company uuid, p_queue text, p_kind text, p_each boolean, p_max_running integer, p_rate_count integer,
    p_rate_period interval, p_by text)
  returns uuid
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_id uuid;
begin
  insert into core.job_limit
    (company_id, queue, kind, each_company, max_running, rate_count, rate_period, made_by)
  values (p_company, p_queue, p_kind, p_each, p_max_running, p_rate_count, p_rate_period, p_by)
  on conflict (company_id, queue, kind, each_company) do update
  set max_running = excluded.max_running, rate_count = excluded.rate_count, rate_period = excluded.rate_period,
      made_by = excluded.made_by
  returning id into v_id;
  perform core.notify_workers('rules');
  return v_id;
end
$$;
