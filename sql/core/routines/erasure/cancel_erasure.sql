-- Cancels the requested erasure of a company. Returns false if there is none, or if it has started.
--
-- owner: fettle_eraser
-- execute: fettle_admin
create function core.cancel_erasure(p_company uuid) returns boolean
  language sql security definer
  set search_path = core, pg_temp
as $$
  with cancelled as (
    delete from core.erasure e where e.subject = p_company and e.started_at is null returning 1
  )
  select exists (select from cancelled)
$$;
