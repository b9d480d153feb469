-- Returns the number of claimed, unfinished jobs of one company, or of all if p_company is null, by queue and
-- kind.
--
-- Above 1,000 claimed jobs is_exact is false: the numbers then include finished jobs of unacknowledged
-- claims.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      jit = off, plan_cache_mode = force_generic_plan
create function core.jobs_running(p_company uuid)
  returns table (queue text, kind text, jobs bigint, is_exact boolean)
  language plpgsql stable
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
declare
  few constant bigint := 1000;
  exact constant boolean := (select coalesce(sum(c.jobs), 0) <= few from core.open_claims_of(p_company) c);
begin
  return query
    select f.queue, f.kind, sum(
        case when not exact then c.jobs
        else (
          select count(*)
          from core.batch_places(c.lane, c.before, c.upto, c.after_xid, c.after_id, c.jobs) s
          where not exists (
              select from core.job_attempt a where a.company_id = s.company_id and a.job_id = s.id and a.fence = c.no)
            and not exists (
              select from core.job_queued n where n.company_id = s.company_id and n.id = s.id and n.round > s.round)
            and not exists (select from core.job_deferred o where o.company_id = s.company_id and o.id = s.id)
            and not exists (select from core.job_end o where o.company_id = s.company_id and o.id = s.id)
        ) end)::bigint, exact
    from core.open_claims_of(p_company) c
    cross join lateral (
      select p.queue, p.kind
      from core.job_queued p
      where (p.lane, p.xid, p.id) <= (c.lane, c.last_xid, c.last_id) and p.lane >= c.lane
      order by p.lane desc, p.xid desc, p.id desc
      limit 1
    ) f
    group by f.queue, f.kind;
end
$$;
