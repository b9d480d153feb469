-- Claims 1 job, sends its payload to the client, and deletes it when "done": two transactions.
with claimed as (
  update job set running = true
  where id = any (array(
    select id from job
    where not running
    order by id
    limit 1
    for update skip locked))
  returning id, payload
)
select coalesce(array_agg(id), '{}') as ids, string_agg(payload::text, e'\n') as payloads
from claimed
\gset
delete from job where id = any (:ids::bigint[]);
