-- Deletes up to p_limit sessions that expired more than 90 days ago; returns the number deleted.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.forget_sessions(p_limit integer) returns bigint
  language sql security definer
  set search_path = core, pg_temp
as $$
  with old as (
    select s.company_id, s.id
    from core.session s
    where s.expires_at < clock_timestamp() - interval '90 days'
    order by s.expires_at
    limit p_limit
  ), gone as (
    delete from core.session s
    using old o
    where s.company_id = o.company_id and s.id = o.id
    returning s.id
  )
  select count(*) from gone
$$;
