-- Returns the next queued rows of a lane, behind a position, that the later snapshot sees and the earlier one
-- does not.
--
-- execute: fettle_auth
-- set: enable_sort = off, enable_seqscan = off, enable_bitmapscan = off, jit = off,
--      plan_cache_mode = force_generic_plan
create function core.batch_of_lane(
    p_lane uuid, p_before pg_snapshot, p_upto pg_snapshot, p_after_xid xid8, p_after_id uuid, p_limit integer)
  returns setof core.job_queued
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
      -- include: batch_of_lane of=c columns=p.* limit=p_limit also=true
    ) j;
end
$$;
