-- Condition: a queued row p is in the lane, behind a position, and of a transaction that began after the
-- earlier snapshot.
--
-- Compares whole rows that begin with the lane: only the index on (lane, xid, id) fits, whatever the
-- statistics say. of: alias of a row with lane, before (the earlier snapshot), after_xid and after_id (the
-- position).
(p.lane, p.xid, p.id) > (
    {of}.lane, greatest({of}.after_xid, pg_snapshot_xmax({of}.before)),
    case
      when {of}.after_xid >= pg_snapshot_xmax({of}.before) then {of}.after_id
      else '00000000-0000-0000-0000-000000000000'
    end)
  and p.lane <= {of}.lane
