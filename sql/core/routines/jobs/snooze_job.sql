-- Postpones a waiting job of the transaction's company; returns false if it is not waiting.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.snooze_job(p_id uuid, p_until timestamptz) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_company constant uuid := core.current_company();
  job core.job_queued;
begin
  update core.job_deferred w set run_at = p_until where w.company_id = v_company and w.id = p_id;
  if found then return true; end if;
  select p.* into job
  from core.job_queued p
  where p.company_id = v_company and p.id = p_id
  order by p.round desc
  limit 1;
  if not found then return false; end if;
  -- Locks the lane, so that the job cannot be claimed now. A later claim contains the row, but its worker
  -- skips the job.
  perform pg_advisory_xact_lock(hashtextextended(job.lane::text, 7450));
  if exists (select from core.job_end e where e.company_id = v_company and e.id = p_id)
    or exists (select from core.job_deferred w where w.company_id = v_company and w.id = p_id)
    or core.is_claimed(v_company, job.lane, job.xid, job.id)
  then
    return false;
  end if;
  insert into core.job_stop (company_id, id, round) values (v_company, p_id, job.round);
  insert into core.job_deferred
    (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone, unique_key,
     created_at, cause_type, cause_id, trace_id, payload)
  values (v_company, job.id, job.round + 1, p_until, job.lane, job.queue, job.kind, job.priority, job.attempt,
    job.max_attempts, job.is_alone, job.unique_key, job.created_at, job.cause_type, job.cause_id, job.trace_id,
    job.payload);
  return true;
end
$$;
