-- Returns the method, parameters and salt of a user's password, to hash a presented password with crypt(3); null
-- for an unknown user or one without a password. core.login() takes the hash; the stored one is never returned.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.login_setting(p_email_key text) returns text
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select substring(u.password_hash from '^(\$.*\$)[^$]*$')
  from core.app_user u
  where u.email_key = p_email_key
    and u.status = 'active'
$$;
