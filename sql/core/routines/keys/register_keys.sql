-- Registers the newest fingerprint of each key of a key file: of every key at the first time, later of new purposes, and
-- of a newer version if the file still has the registered one.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.register_keys(
  p_purposes text[],
  p_versions integer[],
  p_fingerprints bytea[],
  p_known bytea[]
) returns void
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  insert into core.installation_key as k (purpose, version, fingerprint)
  select x.purpose, x.version, x.fingerprint
  from unnest(p_purposes, p_versions, p_fingerprints) x (purpose, version, fingerprint)
  -- A new purpose comes with the registered keys only.
  where not exists (select from core.installation_key)
    or exists (select from core.installation_key o where o.fingerprint = any (p_known))
  order by x.purpose
  on conflict (purpose) do update
  set version = excluded.version, fingerprint = excluded.fingerprint, registered_at = now()
  where k.version < excluded.version
    and k.fingerprint = any (p_known)
$$;
