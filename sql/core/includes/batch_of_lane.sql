-- Selects the rows of a batch: queued rows p of one lane that the later snapshot sees and the earlier one
-- does not, behind a position, ordered by transaction and id.
--
-- The first branch reads the transactions that were in progress at the earlier snapshot, the second all later
-- ones. of: alias of a row with lane, before (the earlier snapshot), upto (the later one), after_xid and
-- after_id (the position). columns: the selected columns of p. limit: the maximum number of rows. also: a
-- further condition on p.
-- queued row p. limit: the maximum number of rows. also: a further condition on p.
select p.*
from (
  select x.xid from pg_snapshot_xip({of}.before) x (xid)
  where x.xid >= {of}.after_xid and pg_visible_in_snapshot(x.xid, {of}.upto)
) x
cross join lateral (
  select {columns} from core.job_queued p
  where (p.lane, p.xid, p.id) > (
      {of}.lane, x.xid,
      case when x.xid = {of}.after_xid then {of}.after_id else '00000000-0000-0000-0000-000000000000' end)
    and p.lane <= {of}.lane and p.xid <= x.xid and {also}
  order by p.lane, p.xid, p.id
  limit {limit}
) p
union all
(select {columns} from core.job_queued p
 where
   -- include: behind_claim of={of}
   and p.xid < pg_snapshot_xmax({of}.upto) and pg_visible_in_snapshot(p.xid, {of}.upto) and {also}
 order by p.lane, p.xid, p.id
 limit {limit})
limit {limit}
