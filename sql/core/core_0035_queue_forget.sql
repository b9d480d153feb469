-- What is let go of row by row: ended jobs, calls to stop, keys.

set local row_security = on;

create function core.forget_ended_jobs(p_before timestamptz, p_limit integer)
  returns table (state text, jobs bigint)
  language sql security definer
  set search_path = core, pg_temp
as $$
  with old as (
    select e.company_id, e.id
    from core.job_end e
    where e.state in ('dead', 'cancelled', 'succeeded') and e.finished_at < p_before
      and not exists (select from core.job_post p where p.company_id = e.company_id and p.id = e.id)
    order by e.finished_at
    limit p_limit
  ), gone as (
    delete from core.job_end e
    using old o
    where e.company_id = o.company_id and e.id = o.id
    returning e.state
  )
  select g.state, count(*) from gone g group by g.state
$$;

comment on function core.forget_ended_jobs(timestamptz, integer) is
  'Deletes jobs that ended before then and whose posts are gone, up to so many; says how many of each state.';

create function core.forget_stops(p_limit integer) returns bigint
  language sql security definer
  set search_path = core, pg_temp
as $$
  with old as (
    select t.company_id, t.id, t.round
    from core.job_stop t
    left join lateral (
      select p.lane, p.xid, p.id
      from core.job_post p
      where p.company_id = t.company_id and p.id = t.id and p.round = t.round
      limit 1
    ) p on true
    where p.id is null
      or exists (
        select from core.job_claim c
        join core.job_settlement s on s.company_id = c.company_id and s.lane = c.lane and s.no = c.no
        where c.company_id = t.company_id and c.lane = p.lane
          and (c.lane, c.last_xid, c.last_id) >= (p.lane, p.xid, p.id) and (c.after_xid, c.after_id) < (p.xid, p.id)
          and pg_visible_in_snapshot(p.xid, c.upto) and not pg_visible_in_snapshot(p.xid, c.before))
    limit p_limit
  ), gone as (
    delete from core.job_stop t
    using old o
    where t.company_id = o.company_id and t.id = o.id and t.round = o.round
    returning t.id
  )
  select count(*) from gone
$$;

comment on function core.forget_stops(integer) is
  'Deletes what called off posts that are gone or in settled claims, up to so many; says how many.';

create function core.forget_keys(p_limit integer) returns bigint
  language sql security definer
  set search_path = core, pg_temp
as $$
  with old as (
    select k.company_id, k.kind, k.key
    from core.job_key k
    where k.is_ended and k.until <= clock_timestamp()
    limit p_limit
  ), gone as (
    delete from core.job_key k
    using old o
    where k.company_id = o.company_id and k.kind = o.kind and k.key = o.key
      and k.is_ended and k.until <= clock_timestamp()
    returning k.key
  )
  select count(*) from gone
$$;

comment on function core.forget_keys(integer) is
  'Deletes keys of ended jobs whose time is over, up to so many; says how many.';

revoke execute on function core.forget_keys(integer), core.forget_ended_jobs(timestamptz, integer),
  core.forget_stops(integer)
  from public;
grant execute on function core.forget_ended_jobs(timestamptz, integer), core.forget_stops(integer),
  core.forget_keys(integer)
  to fettle_worker, fettle_admin;

grant create on schema core to fettle_auth;
alter function core.forget_ended_jobs(timestamptz, integer) owner to fettle_auth;
alter function core.forget_stops(integer) owner to fettle_auth;
alter function core.forget_keys(integer) owner to fettle_auth;
revoke create on schema core from fettle_auth;
