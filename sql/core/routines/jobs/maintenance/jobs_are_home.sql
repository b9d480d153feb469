-- Returns true if the queue's transaction ids belong to this server; false after a restore from a dump.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.jobs_are_home() returns boolean
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select exists (
    select from core.job_home h where h.xmin::text::bigint = h.xid::text::bigint & 4294967295)
$$;
