-- Deletes up to p_limit recorded starts of jobs whose claims are acknowledged; returns the number deleted.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.forget_begun(p_limit integer) returns bigint
  language sql security definer
  set search_path = core, pg_temp
as $$
  with gone as (
    delete from core.job_begin b
    using (
      select b.company_id, b.id, b.no
      from core.job_begin b
      where exists (
        select from core.job_ack s where s.company_id = b.company_id and s.lane = b.lane and s.no = b.no)
      limit p_limit
    ) o
    where b.company_id = o.company_id and b.id = o.id and b.no = o.no
    returning b.id
  )
  select count(*) from gone
$$;
