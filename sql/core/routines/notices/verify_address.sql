-- Verifies the address of the person whose mail carried a code, and returns the person; null if the code cannot be
-- used. Mails are sent to the address again, if it had refused one.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.verify_address(p_id uuid, p_secret_hash bytea) returns uuid
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with used as materialized (
    select core.use_mail_token(p_id, p_secret_hash, 'verify') as user_id
  ),
  cleared as (
    update core.mail_profile p
    set refused_key = null, refused_status = null, refused_reason = null, refused_at = null, updated_at = now()
    from used u
    where p.user_id = u.user_id and p.refused_at is not null
  ),
  verified as (
    update core.app_user a
    set email_verified_at = now(), updated_at = now()
    from used u
    where a.id = u.user_id
    returning a.id
  )
  select v.id from verified v
$$;
