-- Selects the claim that contains a queued row; the inverse of batch_of_lane.
--
-- of: alias of the queued row. columns: the selected columns of the claim c.
select {columns}
from core.job_claim c
where c.company_id = {of}.company_id and c.lane = {of}.lane
  and (c.lane, c.last_xid, c.last_id) >= ({of}.lane, {of}.xid, {of}.id)
  and (c.after_xid, c.after_id) < ({of}.xid, {of}.id)
  and pg_visible_in_snapshot({of}.xid, c.upto) and not pg_visible_in_snapshot({of}.xid, c.before)
order by c.lane, c.last_xid, c.last_id
limit 1
