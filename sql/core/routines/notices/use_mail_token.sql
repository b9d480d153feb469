-- Uses a code and returns the person; null if it is unknown, used or expired, or if the address has changed. The
-- other codes of the person for the same purpose end with it.
--
-- owner: fettle_auth
-- execute: fettle_auth
create function core.use_mail_token(p_id uuid, p_secret_hash bytea, p_purpose text) returns uuid
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with used as (
    update core.mail_token t
    set used_at = now()
    from core.app_user u
    where t.id = p_id
      and t.secret_hash = p_secret_hash
      and t.purpose = p_purpose
      and t.used_at is null
      and t.expires_at > now()
      and u.id = t.user_id
      and u.status = 'active'
      and u.email_key = t.email_key
    returning t.user_id
  ),
  others as (
    update core.mail_token t
    set used_at = now()
    from used u
    where t.user_id = u.user_id and t.purpose = p_purpose and t.id <> p_id and t.used_at is null
  )
  select u.user_id from used u
$$;
