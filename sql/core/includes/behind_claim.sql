-- Condition: a queued row p is in the lane and behind the last job of a claim, and was not in progress when it was
-- taken.
--
-- A comparison of rows that begin with the lane, so that only the index on (lane, xid, id) fits, whatever
-- statistics say. of: alias of a row with lane, before, after_xid, after_id.
(p.lane, p.xid, p.id) > (
    {of}.lane, greatest({of}.after_xid, pg_snapshot_xmax({of}.before)),
    case
      when {of}.after_xid >= pg_snapshot_xmax({of}.before) then {of}.after_id
      else '00000000-0000-0000-0000-000000000000'
    end)
  and p.lane <= {of}.lane
