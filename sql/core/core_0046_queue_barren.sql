-- A claim of which nothing succeeded says so when it is settled, and what succeeded is looked for behind all of those at
-- once: each post of a kind that had failed everywhere for long was asked after, a hundred lanes of them for a tenth of a
-- second.

set local row_security = on;

-- A database of a first text of migration 43 has both already.
alter table core.job_settlement add column if not exists is_barren boolean not null default false;

comment on column core.job_settlement.is_barren is
  'None of its jobs succeeded; false where one did, and where it is not known.';

drop function if exists core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]);
drop function if exists core.settle_claims(uuid, date[], uuid[], uuid[], bigint[], boolean[]);

create function core.settle_claims(
    p_worker uuid, p_weeks date[], p_companies uuid[], p_lanes uuid[], p_nos bigint[], p_barren boolean[] default null)
  returns table (company_id uuid, lane uuid, no bigint)
  language plpgsql security definer
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_settled integer;
begin
  insert into core.job_settlement (week, company_id, lane, no, outcome, is_barren)
  select c.week, c.company_id, c.lane, c.no, 'finished', coalesce(x.is_barren, false)
  from unnest(p_weeks, p_companies, p_lanes, p_nos, p_barren) x (week, company_id, lane, no, is_barren)
  cross join lateral (
    -- Compared as a row, which only the index on all of it answers: in a new week any of them looks as good, and the one
    -- on workers goes through all that this one has claimed.
    select c.week, c.company_id, c.lane, c.no, c.worker_id
    from core.job_claim c
    where c.week = x.week and (c.company_id, c.lane, c.no) >= (x.company_id, x.lane, x.no)
      and (c.company_id, c.lane, c.no) <= (x.company_id, x.lane, x.no)
    limit 1
  ) c
  where c.worker_id = p_worker
  on conflict do nothing;
  get diagnostics v_settled = row_count;
  -- Mostly: nothing was lost, and nothing is asked twice.
  if v_settled = cardinality(p_nos) then return; end if;
  return query
    select x.company_id, x.lane, x.no
    from unnest(p_weeks, p_companies, p_lanes, p_nos) x (week, company_id, lane, no)
    where not exists (
      select from core.job_settlement s
      where s.week = x.week and s.company_id = x.company_id and s.lane = x.lane and s.no = x.no
        and s.outcome = 'finished');
end
$$;

comment on function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[], boolean[]) is
  'Settles claims of a worker that are done, and says of which nothing succeeded; gives those that are not its any more.';

revoke execute on function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[], boolean[]) from public;
grant execute on function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[], boolean[]) to fettle_worker;

grant create on schema core to fettle_auth;
alter function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[], boolean[]) owner to fettle_auth;
revoke create on schema core from fettle_auth;

create or replace function core.done_places(p_companies uuid[], p_lanes uuid[], p_before core.job_place, p_limit integer)
  returns setof core.job_place
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set max_parallel_workers_per_gather = 0
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  last_place constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  most_examined constant integer := 4 * p_limit;
begin
  return query
    with asked as materialized (
      select x.company_id, x.lane,
        case when x.lane < p_before.lane then last_place when x.lane = p_before.lane then p_before.id else nobody end
          as below_id,
        -- The newest claim of which something succeeded, for all that is known, and what claims up to it have nothing
        -- behind: its last, or where those begin that had begun only after its slice did.
        coalesce(h.no, 0) as no, coalesce(greatest(h.last_xid, pg_snapshot_xmax(h.before)), '0') as done_xid,
        case when h.last_xid >= pg_snapshot_xmax(h.before) then h.last_id else nobody end as done_id
      from unnest(p_companies, p_lanes) x (company_id, lane)
      left join lateral (
        select c.no, c.before, c.last_xid, c.last_id
        from (
          select s.no, s.week
          from core.job_settlement s
          where s.company_id = x.company_id and s.lane = x.lane and not s.is_barren
          order by s.company_id desc, s.lane desc, s.no desc
          limit 1
        ) s
        cross join lateral (
          select c.no, c.before, c.last_xid, c.last_id
          from core.job_claim c
          where c.company_id = x.company_id and c.lane = x.lane and c.no = s.no and c.week = s.week
          limit 1
        ) c
      ) h on true
    )
    select f.company_id, f.lane, f.xid, f.id, f.is_gap
    from (
      (select s.company_id, s.lane, s.xid, s.id, s.number = most_examined as is_gap
       from (
         -- Sorted before each is asked after, so that no more are asked after than the page takes.
         select l.company_id, l.lane, p.xid, p.id, p.number
         from asked l
         cross join lateral (
           select p.xid, p.id, row_number() over () as number
           from (
             select p.lane, p.xid, p.id
             from core.job_post p
             where (p.lane, p.xid, p.id) < (l.lane, p_before.xid, l.below_id) and p.lane >= l.lane
               and (p.lane, p.xid, p.id) <= (l.lane, l.done_xid, l.done_id)
             order by p.lane desc, p.xid desc, p.id desc
             limit most_examined
           ) p
         ) p
         order by p.xid desc, l.lane desc, p.id desc
         offset 0
       ) s
       where s.number = most_examined
         or (select true from core.job_wait w where w.company_id = s.company_id and w.id = s.id limit 1) is null
           and (select true from core.job_end e where e.company_id = s.company_id and e.id = s.id limit 1) is null
           and (select max(n.xid) from core.job_post n where n.company_id = s.company_id and n.id = s.id) = s.xid
       limit p_limit)
      union all
      -- Of later claims that are not settled only what has succeeded by itself.
      select l.company_id, l.lane, p.xid, p.id, false
      from asked l
      cross join lateral (
        select c.no, c.week from core.job_claim c where c.company_id = l.company_id and c.lane = l.lane and c.no > l.no
        except
        select s.no, s.week from core.job_settlement s
        where s.company_id = l.company_id and s.lane = l.lane and s.no > l.no
      ) o
      cross join lateral (
        select c.before, c.upto, c.after_xid, c.after_id, c.jobs
        from core.job_claim c
        where c.company_id = l.company_id and c.lane = l.lane and c.no = o.no and c.week = o.week
        limit 1
      ) c
      cross join lateral core.slice_places(l.lane, c.before, c.upto, c.after_xid, c.after_id, c.jobs) p
      where (p.xid, p.id) < (p_before.xid, l.below_id) and (p.xid, p.id) > (l.done_xid, l.done_id)
        and (
          select true from core.job_attempt a
          where a.company_id = l.company_id and a.job_id = p.id and a.fence = o.no and a.outcome = 'succeeded' limit 1)
    ) f
    order by f.xid desc, f.lane desc, f.id desc
    limit p_limit;
end
$$;
