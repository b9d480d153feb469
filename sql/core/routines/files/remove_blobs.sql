-- Marks up to p_limit blobs of the transaction's company that nothing names, and returns all marked ones. The caller
-- removes their bytes from the store, and then calls core.forget_blob.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.remove_blobs(p_limit integer) returns setof bytea
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  acting uuid := core.current_company();
  locked bytea[];
begin
  -- Claims lock the row too. After this statement, the next one sees every claim that was made before the lock.
  select array_agg(x.sha256) into locked
  from (
    select b.sha256
    from core.blob b
    where b.company_id = acting
      and b.removing_at is null
      and not core.blob_in_use(b.company_id, b.sha256)
    limit p_limit
    for update skip locked
  ) x;
  update core.blob b set removing_at = now()
  where b.company_id = acting
    and b.sha256 = any (locked)
    and not core.blob_in_use(b.company_id, b.sha256);
  return query
    select b.sha256
    from core.blob b
    where b.company_id = acting and b.removing_at is not null;
end
$$;
