-- Deletes up to p_limit jobs that ended before a time and have no queued row left; returns the number deleted
-- per state.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.forget_ended_jobs(p_before timestamptz, p_limit integer)
  returns table (state text, jobs bigint)
  language sql security definer
  set search_path = core, pg_temp
as $$
  with old as (
    select e.company_id, e.id
    from core.job_end e
    where e.state in ('dead', 'cancelled', 'succeeded') and e.finished_at < p_before
      and not exists (select from core.job_queued p where p.company_id = e.company_id and p.id = e.id)
    order by e.finished_at
    limit p_limit
  ), gone as (
    delete from core.job_end e
    using old o
    where e.company_id = o.company_id and e.id = o.id
    returning e.state
  )
  select g.state, count(*) from gone g group by g.state
$$;
