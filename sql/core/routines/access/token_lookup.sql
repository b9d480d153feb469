-- Returns a token's company, owner, scopes and times, and the hash to compare with the presented secret.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.token_lookup(p_id uuid)
  returns table (
    company_id uuid, user_id uuid, secret_hash bytea, scopes text[],
    expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select t.company_id, t.user_id, t.secret_hash, t.scopes, t.expires_at, t.last_used_at, t.revoked_at
  from core.api_token t
  where t.id = p_id
$$;
