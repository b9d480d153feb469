-- Returns the account with a normalized e-mail address, and the time at which the address was verified.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.account_of_address(p_email_key text)
  returns table (user_id uuid, kind text, status text, email_verified_at timestamptz)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select u.id, u.kind, u.status, u.email_verified_at
  from core.app_user u
  where u.email_key = p_email_key
$$;
