-- Sets the password hash of a user without proof, for operators; false if there is no such user.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.set_password_hash(p_user_id uuid, p_password_hash text) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with changed as (
    update core.app_user
    set password_hash = p_password_hash, updated_at = transaction_timestamp()
    where id = p_user_id
    returning id
  )
  select exists (select from changed)
$$;
