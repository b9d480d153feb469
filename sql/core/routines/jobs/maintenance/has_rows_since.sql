-- Returns true if a week has queued rows that a snapshot does not see.
--
-- owner: fettle_auth
-- execute: fettle_owner
create function core.has_rows_since(p_week date, p_seen pg_snapshot) returns boolean
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select exists (
    select from core.job_queued p
    where p.week = p_week and p.xid >= pg_snapshot_xmin(p_seen) and not pg_visible_in_snapshot(p.xid, p_seen))
$$;
