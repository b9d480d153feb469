-- Requests that the worker of a claimed job cancels it; returns false if the job has ended.
--
-- The worker reads the request at its next heartbeat, or at once when notified. If the worker is lost first,
-- the rescue cancels the job.
--
-- execute: fettle_auth
create function core.stop_running(p_job core.job_queued) returns boolean
  language plpgsql
  set search_path = core, pg_temp
as $$
declare
  claim core.job_claim;
begin
  -- include: claim_of_row of=p_job columns=c.*
  for key share
  into claim;
  if not found
    or exists (
      select from core.job_ack s
      where s.company_id = claim.company_id and s.lane = claim.lane and s.no = claim.no)
    or exists (
      select from core.job_attempt a
      where a.company_id = p_job.company_id and a.job_id = p_job.id and a.attempt = p_job.attempt + 1
        and a.fence = claim.no)
  then
    return false;
  end if;
  insert into core.job_stop (company_id, id, round, worker_id)
  values (p_job.company_id, p_job.id, p_job.round, claim.worker_id)
  on conflict do nothing;
  return true;
end
$$;
