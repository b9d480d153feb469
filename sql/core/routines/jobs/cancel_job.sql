-- Cancels a waiting or running job of the transaction's company; returns false if it has ended or does not
-- exist.
--
-- For a running job, only a request is recorded: its worker ends it.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.cancel_job(p_id uuid) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_company constant uuid := core.current_company();
  job core.job_queued;
  waiting core.job_deferred;
begin
  delete from core.job_deferred w where w.company_id = v_company and w.id = p_id returning w.* into waiting;
  if found then
    insert into core.job_end
      (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, unique_key,
       created_at, cause_type, cause_id, trace_id, payload)
    values (v_company, waiting.id, waiting.round, 'cancelled', clock_timestamp(), waiting.lane, waiting.queue,
      waiting.kind, waiting.priority, waiting.attempt, waiting.max_attempts, waiting.unique_key, waiting.created_at,
      waiting.cause_type, waiting.cause_id, waiting.trace_id, waiting.payload);
    perform core.free_job_key(v_company, waiting.kind, waiting.unique_key, waiting.id);
    return true;
  end if;
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
  then
    return false;
  end if;
  if core.is_claimed(v_company, job.lane, job.xid, job.id) then
    return core.stop_running(job);
  end if;
  insert into core.job_stop (company_id, id, round) values (v_company, p_id, job.round);
  insert into core.job_end
    (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, unique_key,
     created_at, cause_type, cause_id, trace_id, payload)
  values (v_company, job.id, job.round, 'cancelled', clock_timestamp(), job.lane, job.queue, job.kind, job.priority,
    job.attempt, job.max_attempts, job.unique_key, job.created_at, job.cause_type, job.cause_id, job.trace_id,
    job.payload);
  perform core.free_job_key(v_company, job.kind, job.unique_key, job.id);
  return true;
end
$$;
