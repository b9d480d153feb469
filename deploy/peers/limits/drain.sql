-- The statements of a Fettle worker for batches of 1,000 jobs, whose rows are sent to the client; for `fettle-bench jobs`.
-- Each of two clients acts as a worker with its own lane. Two differences: values are computed, and the claim to acknowledge
-- is looked up, because pgbench cannot store the values of many rows.
\set no :no + 1
\set worker :client_id + 1
select c.place, c.no, c.week, c.jobs, c.claimed_at, c.ends_lane
from core.take_batches(lpad(:worker::text, 32, '0')::uuid, :no::bigint,
  array['00000000-0000-0000-0000-000000000001'::uuid],
  array[core.job_lane('00000000-0000-0000-0000-000000000001', 'default', 'bench.w' || :worker::text, 2)], array[1000]) c;
select j.place, j.id, j.round, j.attempt, j.max_attempts, j.payload, j.unique_key, j.cause_type, j.cause_id,
  j.trace_id, j.is_alone, j.ready_at, j.is_cancelled
from core.claimed_jobs(lpad(:worker::text, 32, '0')::uuid, array[date_trunc('week', now())::date],
  array['00000000-0000-0000-0000-000000000001'::uuid],
  array[core.job_lane('00000000-0000-0000-0000-000000000001', 'default', 'bench.w' || :worker::text, 2)],
  array[(select c.no from core.job_claim c
         where c.week = date_trunc('week', now())::date and c.company_id = '00000000-0000-0000-0000-000000000001'
           and c.lane = core.job_lane('00000000-0000-0000-0000-000000000001', 'default', 'bench.w' || :worker::text, 2)
         order by c.no desc limit 1)]) j;
select l.company_id, l.lane, l.no
from core.ack_claims(lpad(:worker::text, 32, '0')::uuid, array[date_trunc('week', now())::date],
  array['00000000-0000-0000-0000-000000000001'::uuid],
  array[core.job_lane('00000000-0000-0000-0000-000000000001', 'default', 'bench.w' || :worker::text, 2)],
  array[(select c.no from core.job_claim c
         where c.week = date_trunc('week', now())::date and c.company_id = '00000000-0000-0000-0000-000000000001'
           and c.lane = core.job_lane('00000000-0000-0000-0000-000000000001', 'default', 'bench.w' || :worker::text, 2)
         order by c.no desc limit 1)]) l;
