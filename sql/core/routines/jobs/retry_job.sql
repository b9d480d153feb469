-- Retries a dead or cancelled job of the transaction's company, with at least one attempt left; returns false
-- if it is in another state.
--
-- Raises FT011 if another job holds the unique key.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.retry_job(p_id uuid) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_company constant uuid := core.current_company();
  job core.job_end;
begin
  delete from core.job_end e
  where e.company_id = v_company and e.id = p_id and e.state in ('dead', 'cancelled')
  returning e.* into job;
  if not found then return false; end if;
  if job.unique_key is not null then
    insert into core.job_key (company_id, kind, key, job_id)
    values (v_company, job.kind, job.unique_key, job.id)
    on conflict (company_id, kind, key) do update set job_id = excluded.job_id, is_ended = false
    where job_key.job_id = excluded.job_id or job_key.is_ended and job_key.until <= clock_timestamp();
    if not found then
      raise exception 'another job of kind % with the key % is open', job.kind, job.unique_key using errcode = 'FT011';
    end if;
  end if;
  insert into core.job_deferred
    (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone, unique_key,
     created_at, cause_type, cause_id, trace_id, payload)
  values (v_company, job.id, job.round + 1, clock_timestamp(), job.lane, job.queue, job.kind, job.priority,
    job.attempt, greatest(job.max_attempts, job.attempt + 1), false, job.unique_key, job.created_at, job.cause_type,
    job.cause_id, job.trace_id, job.payload);
  return true;
end
$$;
