-- Changes the password hash of the active user with an e-mail address and the current hash, which proves the
-- knowledge of the password; false if it is wrong.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.change_password_hash(p_email_key text, p_current text, p_password_hash text) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with changed as (
    update core.app_user
    set password_hash = p_password_hash, updated_at = transaction_timestamp()
    where email_key = p_email_key
      and password_hash = p_current
      and status = 'active'
    returning id
  )
  select exists (select from changed)
$$;
