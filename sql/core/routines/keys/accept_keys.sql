-- Replaces the registered fingerprints by those of another key file, because the former one is lost.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.accept_keys(p_purposes text[], p_versions integer[], p_fingerprints bytea[]) returns void
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  delete from core.installation_key;
  insert into core.installation_key (purpose, version, fingerprint)
  select x.purpose, x.version, x.fingerprint
  from unnest(p_purposes, p_versions, p_fingerprints) x (purpose, version, fingerprint)
$$;
