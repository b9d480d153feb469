-- Returns one job of a company in its current state; no row if the id is unknown.
--
-- execute: fettle_app, fettle_worker, fettle_admin
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      jit = off, plan_cache_mode = force_generic_plan
create function core.found_job(p_company uuid, p_id uuid) returns setof core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
as $$
declare
  line core.job_line;
begin
  select p.company_id, p.id, p.round, p.queue, p.kind, null::text, p.priority, p.attempt, p.max_attempts,
    p.created_at, p.created_at, null::timestamptz, null::uuid, p.lane, p.xid
  into line
  from core.job_queued p
  where p.company_id = p_company and p.id = p_id
  order by p.round desc
  limit 1;
  if found then
    return query select s.* from core.job_standings(array[line]) s;
    return;
  end if;
  return query
    select w.company_id, w.id, w.round, w.queue, w.kind, case when w.attempt = 0 then 'queued' else 'retrying' end,
      w.priority, w.attempt, w.max_attempts, w.run_at, w.created_at, null::timestamptz, null::uuid, w.lane, null::xid8
    from core.job_deferred w
    where w.company_id = p_company and w.id = p_id;
  return query
    select e.company_id, e.id, e.round, e.queue, e.kind, e.state, e.priority, e.attempt, e.max_attempts, e.created_at,
      e.created_at, e.finished_at, null::uuid, e.lane, null::xid8
    from core.job_end e
    where e.company_id = p_company and e.id = p_id;
end
$$;
