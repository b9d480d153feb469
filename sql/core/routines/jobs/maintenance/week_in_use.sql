-- Returns the reason why the rows of a week cannot be dropped; null if all are done.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin, fettle_owner
-- set: enable_seqscan = off
create function core.week_in_use(p_week date) returns text
  language plpgsql stable security definer
  set search_path = core, pg_temp
as $$
declare
  open record;
begin
  select t.company_id, t.kind into open
  from core.job_count t
  where t.enqueued > t.claimed and core.lane_is_open(t.company_id, t.lane, p_week)
  limit 1;
  if found then return format('jobs of kind %s wait for a worker', open.kind); end if;
  perform from core.open_claims_of(null) c
  where exists (
    select from core.batch_places(c.lane, c.before, c.upto, c.after_xid, c.after_id, c.jobs) s
    join core.job_queued p on p.company_id = s.company_id and p.id = s.id and p.round = s.round
    where p.week = p_week);
  if found then return 'jobs are running'; end if;
  return null;
end
$$;
