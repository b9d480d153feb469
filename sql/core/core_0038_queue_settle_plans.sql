-- Settling goes by the indexes, as claiming does: the tables grow and shrink all day, and a plan from when they were
-- empty read a whole week of settlements for every claim.

set local row_security = on;

drop function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]);

create function core.settle_claims(
    p_worker uuid, p_weeks date[], p_companies uuid[], p_lanes uuid[], p_nos bigint[])
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
  insert into core.job_settlement (week, company_id, lane, no, outcome)
  select c.week, c.company_id, c.lane, c.no, 'finished'
  from unnest(p_weeks, p_companies, p_lanes, p_nos) x (week, company_id, lane, no)
  cross join lateral (
    select c.week, c.company_id, c.lane, c.no
    from core.job_claim c
    where c.week = x.week and c.company_id = x.company_id and c.lane = x.lane and c.no = x.no
      and c.worker_id = p_worker
    limit 1
  ) c
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

comment on function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]) is
  'Settles claims of a worker that are done; gives those that are not its any more.';

revoke execute on function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]) from public;
grant execute on function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]) to fettle_worker;

grant create on schema core to fettle_auth;
alter function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]) owner to fettle_auth;
revoke create on schema core from fettle_auth;
