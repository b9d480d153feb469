-- Enqueues up to p_limit deferred jobs that are due; returns the number enqueued.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.enqueue_due_jobs(p_limit integer) returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  enqueued integer;
begin
  with due as (
    select w.company_id, w.id
    from core.job_deferred w
    where w.run_at <= clock_timestamp()
    order by w.run_at
    limit p_limit
    for update skip locked
  ), gone as (
    delete from core.job_deferred w
    using due d
    where w.company_id = d.company_id and w.id = d.id
    returning w.*
  )
  insert into core.job_queued
    (company_id, lane, id, round, queue, kind, priority, attempt, max_attempts, is_alone, unique_key, created_at,
     cause_type, cause_id, trace_id, payload)
  select g.company_id, g.lane, g.id, g.round, g.queue, g.kind, g.priority, g.attempt, g.max_attempts, g.is_alone,
    g.unique_key, g.created_at, g.cause_type, g.cause_id, g.trace_id, g.payload
  from gone g;
  get diagnostics enqueued = row_count;
  return enqueued;
end
$$;
