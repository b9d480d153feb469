-- Lists of what runs and of what is kept aside, and single jobs.

set local row_security = on;

create function core.listed_running(p_company uuid, p_queue text, p_kind text, p_xid xid8, p_lane uuid, p_id uuid, p_limit integer)
  returns setof core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  -- The last job of a claim is its newest: the claims with the newest are enough, unless much of them is done.
  most_claims integer := 2 * p_limit;
  line core.job_line;
  claims integer;
  lines core.job_line[];
begin
  loop
    lines := '{}';
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
              select from core.job_post p
              where (p.lane, p.xid, p.id) >= (c.lane, c.last_xid, c.last_id)
                and (p.lane, p.xid, p.id) <= (c.lane, c.last_xid, c.last_id)
                and (p_queue is null or p.queue = p_queue) and (p_kind is null or p.kind = p_kind)))
          order by c.last_xid desc, c.lane desc
          limit most_claims
        ) c
        cross join lateral core.slice_places(c.lane, c.before, c.upto, c.after_xid, c.after_id, c.jobs) s
        where p_xid is null or (s.xid, c.lane, s.id) < (p_xid, p_lane, p_id)
        order by s.xid desc, c.lane desc, s.id desc
        offset 0
      ) s
      join core.job_post p on p.company_id = s.company_id and p.id = s.id and p.round = s.round
    loop
      line := core.job_standing(line);
      continue when line.state is distinct from 'running';
      lines := lines || line;
      exit when cardinality(lines) = p_limit;
    end loop;
    exit when cardinality(lines) = p_limit or most_claims is null or claims <= most_claims;
    most_claims := null;
  end loop;
  return query select * from unnest(lines);
end
$$;

comment on function core.listed_running(uuid, text, text, xid8, uuid, uuid, integer) is 'What workers have, newest first.';

-- The two tables of what is set aside are gone through by queue and kind, each led by its index.
create function core.listed_aside(
    p_company uuid, p_queue text, p_kind text, p_state text, p_at timestamptz, p_id uuid, p_limit integer)
  returns setof core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  last_place constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  is_end constant boolean := p_state in ('dead', 'cancelled', 'succeeded');
  place constant text := case when is_end then 'job_end' else 'job_wait' end;
  condition constant text := case p_state
    when 'retrying' then 'o.attempt > 0' when 'queued' then 'o.attempt = 0'
    when 'any' then 'o.attempt = 0 and o.round = 1' else format('o.state = %L', p_state) end;
  index_condition constant text := case p_state when 'any' then 'o.attempt = 0' else condition end;
  whose constant text := case when p_company is null then 'true' else 'o.company_id = $1' end;
  queues text[] := '{}';
  kinds text[] := '{}';
  v_queue text := '';
  v_kind text := '';
begin
  if p_queue is not null and p_kind is not null then
    queues := array[p_queue];
    kinds := array[p_kind];
  else
    loop
      execute format(
        'select o.queue, o.kind from core.%I o where %s and (o.queue, o.kind) > ($2, $3) and %s '
        'order by o.queue, o.kind limit 1', place, whose, index_condition)
      into v_queue, v_kind using p_company, v_queue, v_kind;
      exit when v_kind is null;
      if (p_queue is null or v_queue = p_queue) and (p_kind is null or v_kind = p_kind) then
        queues := queues || v_queue;
        kinds := kinds || v_kind;
      end if;
    end loop;
  end if;
  return query execute format(
    'select l.* from unnest($2::text[], $3::text[]) k (queue, kind) cross join lateral ('
    '  select o.company_id, o.id, o.round, o.queue, o.kind, %1$s, o.priority, o.attempt, o.max_attempts, %2$s, '
    '    o.created_at, %3$s, null::uuid, o.lane, null::xid8 '
    '  from core.%4$I o '
    '  where %5$s and (o.queue, o.kind, o.%6$I, o.id) < (k.queue, k.kind, $4, $5) and o.queue >= k.queue '
    '    and o.queue = k.queue and o.kind = k.kind and %7$s '
    '  order by o.queue desc, o.kind desc, o.%6$I desc, o.id desc limit $6'
    ') l order by l.%6$I desc, l.id desc limit $6',
    case when is_end then 'o.state' else 'case when o.attempt = 0 then ''queued'' else ''retrying'' end as state' end,
    case when is_end then 'o.created_at as run_at' else 'o.run_at' end,
    case when is_end then 'o.finished_at' else 'null::timestamptz as finished_at' end,
    place, whose, case when is_end then 'finished_at' else 'created_at' end, condition)
  using p_company, queues, kinds, coalesce(p_at, 'infinity'), coalesce(p_id, last_place), p_limit;
end
$$;

comment on function core.listed_aside(uuid, text, text, text, timestamptz, uuid, integer) is
  'What waits for its time (queued, retrying; any: what was never posted) or has ended (dead, cancelled, succeeded), newest first.';

create function core.found_job(p_company uuid, p_id uuid) returns setof core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  line core.job_line;
begin
  select p.company_id, p.id, p.round, p.queue, p.kind, null::text, p.priority, p.attempt, p.max_attempts,
    p.created_at, p.created_at, null::timestamptz, null::uuid, p.lane, p.xid
  into line
  from core.job_post p
  where p.company_id = p_company and p.id = p_id
  order by p.round desc
  limit 1;
  if found then
    line := core.job_standing(line);
    return next line;
    return;
  end if;
  return query
    select w.company_id, w.id, w.round, w.queue, w.kind, case when w.attempt = 0 then 'queued' else 'retrying' end,
      w.priority, w.attempt, w.max_attempts, w.run_at, w.created_at, null::timestamptz, null::uuid, w.lane, null::xid8
    from core.job_wait w
    where w.company_id = p_company and w.id = p_id;
  return query
    select e.company_id, e.id, e.round, e.queue, e.kind, e.state, e.priority, e.attempt, e.max_attempts, e.created_at,
      e.created_at, e.finished_at, null::uuid, e.lane, null::xid8
    from core.job_end e
    where e.company_id = p_company and e.id = p_id;
end
$$;

comment on function core.found_job(uuid, uuid) is 'The job of a company with an id, where it stands now.';

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

comment on function core.job_attempts(uuid) is 'The attempts at a job of the company of the transaction, oldest first.';

grant select on core.job_run to fettle_auth;

revoke execute on function core.listed_running(uuid, text, text, xid8, uuid, uuid, integer),
  core.listed_aside(uuid, text, text, text, timestamptz, uuid, integer), core.found_job(uuid, uuid),
  core.job_attempts(uuid)
  from public;
grant execute on function core.listed_running(uuid, text, text, xid8, uuid, uuid, integer),
  core.listed_aside(uuid, text, text, text, timestamptz, uuid, integer), core.found_job(uuid, uuid),
  core.job_attempts(uuid)
  to fettle_app, fettle_worker, fettle_admin;

grant create on schema core to fettle_auth;
alter function core.job_attempts(uuid) owner to fettle_auth;
revoke create on schema core from fettle_auth;
