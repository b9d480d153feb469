-- Returns the places of the rows of a batch, in the same order as core.batch_of_lane().
--
-- Without payloads, which an operator may not read.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      jit = off, plan_cache_mode = force_generic_plan
create function core.batch_places(
    p_lane uuid, p_before pg_snapshot, p_upto pg_snapshot, p_after_xid xid8, p_after_id uuid, p_limit integer)
  returns table (xid xid8, id uuid, company_id uuid, round integer)
  language plpgsql stable
  set search_path = core, pg_temp
as $$
begin
  return query
    select j.*
    from (
      select p_lane as lane, p_before as before, p_upto as upto, p_after_xid as after_xid, p_after_id as after_id
    ) c
    cross join lateral (
      -- include: batch_of_lane of=c columns=p.xid,p.id,p.company_id,p.round limit=p_limit also=true
    ) j;
end
$$;
