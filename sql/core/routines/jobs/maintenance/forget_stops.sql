-- Deletes up to p_limit marks of cancelled or postponed rows that have been dropped or belong to acknowledged
-- claims; returns the number deleted.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.forget_stops(p_limit integer) returns bigint
  language sql security definer
  set search_path = core, pg_temp
as $$
  with old as (
    select t.company_id, t.id, t.round
    from core.job_stop t
    left join lateral (
      select p.lane, p.xid, p.id
      from core.job_queued p
      where p.company_id = t.company_id and p.id = t.id and p.round = t.round
      limit 1
    ) p on true
    where p.id is null
      or exists (
        select from core.job_claim c
        join core.job_ack s on s.company_id = c.company_id and s.lane = c.lane and s.no = c.no
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
