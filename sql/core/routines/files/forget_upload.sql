-- Deletes an upload of the transaction's company that has ended and whose parts were removed from the store.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.forget_upload(p_id uuid) returns void
  language sql security definer
  set search_path = core, pg_temp
as $$
  delete from core.upload u
  where u.company_id = (select core.current_company())
    and u.id = p_id
    and (u.expires_at < now() or u.finished_at < now() - interval '1 day')
$$;
