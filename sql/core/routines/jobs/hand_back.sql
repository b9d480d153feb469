-- Enqueues jobs of an open claim again that its worker has not started or has given up; returns the number
-- enqueued.
--
-- The claim stays open for its other jobs.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.hand_back(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_ids uuid[]) returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  enqueued integer;
begin
  perform from core.job_claim c
  where c.company_id = p_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker
  for update;
  -- With the lock, transactions that were writing an outcome have ended.
  if not found then return 0; end if;
  if exists (
    select from core.job_ack s where s.company_id = p_company and s.lane = p_lane and s.no = p_no)
  then
    return 0;
  end if;
  insert into core.job_queued
    (company_id, lane, id, round, queue, kind, priority, attempt, max_attempts, is_alone, unique_key, created_at,
     cause_type, cause_id, trace_id, payload)
  select p.company_id, p.lane, p.id, p.round + 1, p.queue, p.kind, p.priority, p.attempt, p.max_attempts, p.is_alone,
    p.unique_key, p.created_at, p.cause_type, p.cause_id, p.trace_id, p.payload
  from unnest(p_ids) x (id)
  cross join lateral (
    select p.* from core.job_queued p where p.company_id = p_company and p.id = x.id order by p.round desc limit 1
  ) p
  where p.lane = p_lane
    and not exists (select from core.job_stop t where t.company_id = p.company_id and t.id = p.id and t.round = p.round)
    and not exists (
      select from core.job_attempt a
      where a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = p_no)
    and core.is_claimed(p_company, p_lane, p.xid, p.id);
  get diagnostics enqueued = row_count;
  return enqueued;
end
$$;
