-- Deletes up to p_limit unique keys of ended jobs whose period is over; returns the number deleted.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
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
