-- Returns the user with a normalized e-mail address, and the password hash to compare at sign-in.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.login_lookup(p_email_key text)
  returns table (user_id uuid, name text, kind text, status text, password_hash text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select u.id, u.name, u.kind, u.status, u.password_hash
  from core.app_user u
  where u.email_key = p_email_key
$$;
