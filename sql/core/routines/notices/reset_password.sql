-- Sets the password hash of the person whose mail carried a code, and returns the person; null if the code cannot
-- be used. The mail has arrived, so the address is verified too. If it was not verified before, another person may have
-- made the account: core.forget_unproven() removes their ways to sign in.
--
-- The caller ends the person's sessions in the same transaction, with core.end_sessions().
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.reset_password(p_id uuid, p_secret_hash bytea, p_password_hash text) returns uuid
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with used as materialized (
    select core.use_mail_token(p_id, p_secret_hash, 'reset') as user_id
  ),
  unproven as materialized (
    select u.user_id, core.forget_unproven(u.user_id)
    from used u
    where u.user_id is not null
  ),
  cleared as (
    update core.mail_profile p
    set refused_key = null, refused_status = null, refused_reason = null, refused_at = null, updated_at = now()
    from used u
    where p.user_id = u.user_id and p.refused_at is not null
  ),
  changed as (
    update core.app_user a
    set password_hash = p_password_hash, email_verified_at = coalesce(a.email_verified_at, now()), updated_at = now()
    from unproven u
    where a.id = u.user_id
    returning a.id
  )
  select c.id from changed c
$$;
