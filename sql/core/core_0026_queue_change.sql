-- What people do to a job: try it again, call it off, drop it, put it off.

set local row_security = on;

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
  insert into core.job_wait
    (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone, unique_key,
     created_at, cause_type, cause_id, trace_id, payload)
  values (v_company, job.id, job.round + 1, clock_timestamp(), job.lane, job.queue, job.kind, job.priority,
    job.attempt, greatest(job.max_attempts, job.attempt + 1), false, job.unique_key, job.created_at, job.cause_type,
    job.cause_id, job.trace_id, job.payload);
  return true;
end
$$;

comment on function core.retry_job(uuid) is
  'Has a dead or cancelled job of the company of the transaction tried again, once more than before; false: it is neither.';

-- The worker sees it within a heartbeat, or at once when it is told; if it dies before, the rescue ends the job.
create function core.stop_running(p_job core.job_post) returns boolean
  language plpgsql
  set search_path = core, pg_temp
as $$
declare
  claim core.job_claim;
begin
  select c.* into claim
  from core.job_claim c
  where c.company_id = p_job.company_id and c.lane = p_job.lane
    and (c.lane, c.last_xid, c.last_id) >= (p_job.lane, p_job.xid, p_job.id)
    and (c.after_xid, c.after_id) < (p_job.xid, p_job.id)
    and pg_visible_in_snapshot(p_job.xid, c.upto) and not pg_visible_in_snapshot(p_job.xid, c.before)
  order by c.lane, c.last_xid, c.last_id
  limit 1
  for key share;
  if not found
    or exists (
      select from core.job_settlement s
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

comment on function core.stop_running(core.job_post) is
  'Asks the worker that has a job to end it; false: it has ended.';

create function core.cancel_job(p_id uuid) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_company constant uuid := core.current_company();
  job core.job_post;
  waiting core.job_wait;
begin
  delete from core.job_wait w where w.company_id = v_company and w.id = p_id returning w.* into waiting;
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
  from core.job_post p
  where p.company_id = v_company and p.id = p_id
  order by p.round desc
  limit 1;
  if not found then return false; end if;
  -- Nobody cuts the lane now; what is not claimed yet will be claimed without this one.
  perform pg_advisory_xact_lock(hashtextextended(job.lane::text, 7450));
  if exists (select from core.job_end e where e.company_id = v_company and e.id = p_id)
    or exists (select from core.job_wait w where w.company_id = v_company and w.id = p_id)
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

comment on function core.cancel_job(uuid) is
  'Calls off a job of the company of the transaction that waits or runs; false: it does neither. One that runs is ended by its worker.';

create function core.discard_job(p_id uuid) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  update core.job_end e
  set state = 'cancelled'
  where e.company_id = core.current_company() and e.id = p_id and e.state = 'dead';
  return found;
end
$$;

comment on function core.discard_job(uuid) is
  'Says of a dead job of the company of the transaction that it needs no more care; false: it is not dead.';

create function core.snooze_job(p_id uuid, p_until timestamptz) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_company constant uuid := core.current_company();
  job core.job_post;
begin
  update core.job_wait w set run_at = p_until where w.company_id = v_company and w.id = p_id;
  if found then return true; end if;
  select p.* into job
  from core.job_post p
  where p.company_id = v_company and p.id = p_id
  order by p.round desc
  limit 1;
  if not found then return false; end if;
  -- Nobody cuts the lane now; what is not claimed yet will be claimed without this one.
  perform pg_advisory_xact_lock(hashtextextended(job.lane::text, 7450));
  if exists (select from core.job_end e where e.company_id = v_company and e.id = p_id)
    or exists (select from core.job_wait w where w.company_id = v_company and w.id = p_id)
    or core.is_claimed(v_company, job.lane, job.xid, job.id)
  then
    return false;
  end if;
  insert into core.job_stop (company_id, id, round) values (v_company, p_id, job.round);
  insert into core.job_wait
    (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone, unique_key,
     created_at, cause_type, cause_id, trace_id, payload)
  values (v_company, job.id, job.round + 1, p_until, job.lane, job.queue, job.kind, job.priority, job.attempt,
    job.max_attempts, job.is_alone, job.unique_key, job.created_at, job.cause_type, job.cause_id, job.trace_id,
    job.payload);
  return true;
end
$$;

comment on function core.snooze_job(uuid, timestamptz) is
  'Has a job of the company of the transaction wait until then that waits for its time or a worker; false: it does not.';

grant update (state) on core.job_end to fettle_auth;

revoke execute on function core.stop_running(core.job_post), core.retry_job(uuid), core.cancel_job(uuid),
  core.discard_job(uuid), core.snooze_job(uuid, timestamptz)
  from public;
grant execute on function core.retry_job(uuid), core.cancel_job(uuid), core.discard_job(uuid),
  core.snooze_job(uuid, timestamptz)
  to fettle_app, fettle_worker, fettle_admin;
grant execute on function core.stop_running(core.job_post) to fettle_auth;

grant create on schema core to fettle_auth;
alter function core.retry_job(uuid) owner to fettle_auth;
alter function core.cancel_job(uuid) owner to fettle_auth;
alter function core.discard_job(uuid) owner to fettle_auth;
alter function core.snooze_job(uuid, timestamptz) owner to fettle_auth;
revoke create on schema core from fettle_auth;
