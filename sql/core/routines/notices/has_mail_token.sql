-- Returns whether a code can be used: before a password is hashed, which is expensive.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_auth
create function core.has_mail_token(p_id uuid, p_secret_hash bytea, p_purpose text) returns boolean
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select exists (
    select from core.mail_token t
    join core.app_user u on u.id = t.user_id
    where t.id = p_id
      and t.secret_hash = p_secret_hash
      and t.purpose = p_purpose
      and t.used_at is null
      and t.expires_at > now()
      and u.status = 'active'
      and u.email_key = t.email_key
  )
$$;
