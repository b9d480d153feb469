-- Marks the files of the transaction's company that were deleted more than 30 days ago: they no longer need their
-- blobs and cannot be restored. Returns their number.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.release_files() returns bigint
  language sql security definer
  set search_path = core, pg_temp
as $$
  with released as (
    update core.attachment a set purged_at = now()
    where a.company_id = (select core.current_company())
      and a.deleted_at < now() - interval '30 days'
      and a.purged_at is null
    returning a.state
  )
  select count(*) from released
$$;
