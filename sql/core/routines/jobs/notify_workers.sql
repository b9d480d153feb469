-- Notifies workers: of the lanes in the payload, of jobs in unknown lanes if it is empty, of changed rules
-- (`rules`), or of cancelled jobs (`stop`).
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.notify_workers(p_payload text) returns void
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  select pg_catalog.pg_notify(c.name, p_payload) from core.job_channel c
$$;
