-- Writes a successful attempt for each of the given jobs of a claim, unless it exists.
--
-- execute: fettle_auth
create function core.record_success(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_ids uuid[]) returns void
  language sql
  set search_path = core, pg_temp
as $$
  insert into core.job_attempt
    (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome)
  select p_company, p.id, p.attempt + 1, p_no, p_worker, c.at, clock_timestamp(), 'succeeded'
  from core.job_claim c
  cross join unnest(p_ids) x (id)
  cross join lateral (
    select p.id, p.attempt, p.lane from core.job_queued p
    where p.company_id = p_company and p.id = x.id order by p.round desc limit 1
  ) p
  where c.company_id = p_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker and p.lane = p_lane
  on conflict do nothing
$$;
