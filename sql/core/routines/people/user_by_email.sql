-- Returns the user with a normalized e-mail address, in any company.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.user_by_email(p_email_key text)
  returns table (id uuid, email text, name text, kind text, status text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select u.id, u.email, u.name, u.kind, u.status
  from core.app_user u
  where u.email_key = p_email_key
$$;
