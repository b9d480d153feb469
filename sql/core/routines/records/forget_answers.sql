-- Deletes up to p_limit idempotency keys that were used more than seven days ago; returns the number deleted.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.forget_answers(p_limit integer) returns bigint
  language sql security definer
  set search_path = core, pg_temp
as $$
  with old as (
    select i.company_id, i.actor, i.key
    from core.idempotency i
    where i.created_at < clock_timestamp() - interval '7 days'
    order by i.created_at
    limit p_limit
  ), gone as (
    delete from core.idempotency i
    using old o
    where i.company_id = o.company_id and i.actor = o.actor and i.key = o.key
      and i.created_at < clock_timestamp() - interval '7 days'
    returning i.key
  )
  select count(*) from gone
$$;
