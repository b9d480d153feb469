-- Returns the sealed secret that a user has not confirmed yet; null if there is none or it has expired.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.pending_factor_of(p_user_id uuid) returns bytea
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select f.pending_secret
  from core.second_factor f
  where f.user_id = p_user_id
    and f.pending_until > transaction_timestamp()
$$;
