-- Returns the number of deferred, dead and cancelled jobs by queue, kind and state; counting stops at 2,000,
-- and is_exact is then false.
--
-- p_company: null for all companies.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
-- set: enable_seqscan = off, enable_bitmapscan = off, jit = off, plan_cache_mode = force_generic_plan
create function core.jobs_deferred(p_company uuid)
  returns table (queue text, kind text, state text, jobs bigint, is_exact boolean)
  language plpgsql stable
  set search_path = core, pg_temp
as $$
declare
  most constant integer := 2000;
  source record;
  v_queue text;
  v_kind text;
  v_jobs bigint;
  whose constant text := case when p_company is null then 'true' else 'o.company_id = $1' end;
begin
  for source in
    select * from (values
      ('job_deferred', 'o.attempt = 0', 'waiting'), ('job_deferred', 'o.attempt > 0', 'retrying'),
      ('job_end', 'o.state = ''dead''', 'dead'), ('job_end', 'o.state = ''cancelled''', 'cancelled')
    ) v (place, condition, name)
  loop
    v_queue := '';
    v_kind := '';
    loop
      execute format(
        'select o.queue, o.kind from core.%I o where %s and (o.queue, o.kind) > ($2, $3) and %s '
        'order by o.queue, o.kind limit 1', source.place, whose, source.condition)
      into v_queue, v_kind using p_company, v_queue, v_kind;
      exit when v_kind is null;
      execute format(
        'select count(*) from (select from core.%I o where %s and o.queue = $2 and o.kind = $3 and %s limit %s) o',
        source.place, whose, source.condition, most + 1)
      into v_jobs using p_company, v_queue, v_kind;
      return query select v_queue, v_kind, source.name, least(v_jobs, most), v_jobs <= most;
    end loop;
  end loop;
end
$$;
