-- Creates a user, with a password if its hash is given, and returns the id; null if the e-mail address is taken
-- (see core.user_by_email()).
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.create_user(
  p_id uuid, p_email text, p_name text, p_kind text default 'person', p_password_hash text default null)
  returns uuid
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  insert into core.app_user (id, email, name, kind, password_hash)
  values (p_id, p_email, p_name, p_kind, p_password_hash)
  on conflict (email_key) do nothing
  returning id
$$;
