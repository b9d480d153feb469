-- Returns the bytes that count towards the quota of the transaction's company: its blobs, the open uploads
-- and the files that devices have attached and not sent yet, private ones included.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.stored_bytes() returns bigint
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select
    (
      select coalesce(sum(b.size_bytes), 0)
      from core.blob b
      where b.company_id = (select core.current_company())
    )
    + (
      select coalesce(sum(u.size_bytes), 0)
      from core.upload u
      where u.company_id = (select core.current_company())
        and u.sha256 is null
        and u.finished_at is null
        and u.expires_at > now()
        and not exists (
          select from core.attachment a
          where a.company_id = u.company_id and a.id = u.id and a.state = 'awaited' and a.deleted_at is null
        )
    )
    + (
      select coalesce(sum(a.size_bytes), 0)
      from core.attachment a
      where a.company_id = (select core.current_company())
        and a.state = 'awaited'
        and a.deleted_at is null
    )
$$;
