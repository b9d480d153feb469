-- Returns the active user with a normalized e-mail address and this password hash; no row for a wrong password.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.login(p_email_key text, p_password_hash text)
  returns table (user_id uuid, name text, kind text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select u.id, u.name, u.kind
  from core.app_user u
  where u.email_key = p_email_key
    and u.password_hash = p_password_hash
    and u.status = 'active'
$$;
