-- Returns true if a lane has an unclaimed row in a week.
--
-- owner: fettle_auth
create function core.lane_is_open(p_company uuid, p_lane uuid, p_week date) returns boolean
  language plpgsql stable security definer
  set search_path = core, pg_temp
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  head record;
  floor_xid xid8 := '0';
  floor_id uuid := nobody;
begin
  select c.before, c.upto, c.last_xid, c.last_id into head
  from core.job_claim c
  where c.company_id = p_company and c.lane = p_lane
  order by c.company_id desc, c.lane desc, c.no desc
  limit 1;
  if found then
    floor_xid := greatest(head.last_xid, pg_snapshot_xmax(head.before));
    if floor_xid = head.last_xid then floor_id := head.last_id; end if;
    if exists (
      select from core.job_queued p
      where p.week = p_week and p.lane = p_lane
        and (p.xid in (select pg_snapshot_xip(head.before)) or p.xid in (select pg_snapshot_xip(head.upto)))
        and not core.is_claimed(p_company, p_lane, p.xid, p.id))
    then
      return true;
    end if;
  end if;
  return exists (
    select from core.job_queued p
    where p.week = p_week and (p.lane, p.xid, p.id) > (p_lane, floor_xid, floor_id) and p.lane <= p_lane);
end
$$;
