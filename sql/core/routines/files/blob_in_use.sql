-- True if an attachment or an open upload of a company names a blob, private ones included.
--
-- owner: fettle_auth
create function core.blob_in_use(p_company uuid, p_sha256 bytea) returns boolean
  language sql stable
  set search_path = core, pg_temp
as $$
  select exists (
    select from core.attachment a
    where a.company_id = p_company
      and a.purged_at is null
      and a.state <> 'refused'
      and (a.sha256 = p_sha256 or a.thumb_sha256 = p_sha256 or a.state = 'pending' and a.original_sha256 = p_sha256)
  ) or exists (
    select from core.upload u
    where u.company_id = p_company
      and u.sha256 = p_sha256
      and u.finished_at is null
      and u.expires_at > now()
  )
$$;
