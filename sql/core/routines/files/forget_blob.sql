-- Deletes the row of a blob of the transaction's company whose bytes were removed from the store.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.forget_blob(p_sha256 bytea) returns void
  language sql security definer
  set search_path = core, pg_temp
as $$
  delete from core.blob b
  where b.company_id = (select core.current_company())
    and b.sha256 = p_sha256
    and b.removing_at is not null
$$;
