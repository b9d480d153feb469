-- Deletes up to p_limit rate limits whose permits have all come back; returns the number deleted.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.forget_rates(p_limit integer) returns bigint
  language sql security definer
  set search_path = core, pg_temp
as $$
  with old as (
    select r.key
    from core.rate r
    where r.used_until <= clock_timestamp()
    limit p_limit
  ), gone as (
    delete from core.rate r
    using old o
    where r.key = o.key and r.used_until <= clock_timestamp()
    returning r.key
  )
  select count(*) from gone
$$;
