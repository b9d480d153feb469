-- Returns running jobs, newest first.
--
-- execute: fettle_app, fettle_worker, fettle_admin
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      jit = off, plan_cache_mode = force_generic_plan
create function core.listed_running(p_company uuid, p_queue text, p_kind text, p_xid xid8, p_lane uuid, p_id uuid, p_limit integer)
  returns setof core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
as $$
declare
  -- The last job of a claim is its newest. The newest claims suffice unless most of their jobs are finished.
  most_claims integer := 2 * p_limit;
  line core.job_line;
  claims integer;
  lines core.job_line[];
  candidates core.job_line[];
begin
  loop
    lines := '{}';
    candidates := '{}';
    claims := 0;
    select count(*) into claims from core.open_claims_of(p_company);
    for line in
      select p.company_id, p.id, p.round, p.queue, p.kind, null::text, p.priority, p.attempt, p.max_attempts,
        p.created_at, p.created_at, null::timestamptz, null::uuid, p.lane, p.xid
      from (
        select s.*, c.lane
        from (
          select c.*
          from core.open_claims_of(p_company) c
          where (p_queue is null and p_kind is null or exists (
              select from core.job_queued p
              where (p.lane, p.xid, p.id) >= (c.lane, c.last_xid, c.last_id)
                and (p.lane, p.xid, p.id) <= (c.lane, c.last_xid, c.last_id)
                and (p_queue is null or p.queue = p_queue) and (p_kind is null or p.kind = p_kind)))
          order by c.last_xid desc, c.lane desc
          limit most_claims
        ) c
        cross join lateral core.batch_places(c.lane, c.before, c.upto, c.after_xid, c.after_id, c.jobs) s
        where p_xid is null or (s.xid, c.lane, s.id) < (p_xid, p_lane, p_id)
        order by s.xid desc, c.lane desc, s.id desc
        offset 0
      ) s
      join core.job_queued p on p.company_id = s.company_id and p.id = s.id and p.round = s.round
    loop
      candidates := candidates || line;
      continue when cardinality(candidates) < p_limit;
      lines := lines || array(
        select s from core.job_standings(candidates) s where s.state = 'running' limit p_limit - cardinality(lines));
      candidates := '{}';
      exit when cardinality(lines) = p_limit;
    end loop;
    lines := lines || array(
      select s from core.job_standings(candidates) s where s.state = 'running' limit p_limit - cardinality(lines));
    exit when cardinality(lines) = p_limit or most_claims is null or claims <= most_claims;
    most_claims := null;
  end loop;
  return query select * from unnest(lines);
end
$$;
