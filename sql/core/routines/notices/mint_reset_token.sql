-- Stores a code with which a person chooses a password, made by an operator and not mailed. It is valid for a day. Returns
-- when it ends; null if the person is not active.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.mint_reset_token(p_id uuid, p_user_id uuid, p_secret_hash bytea) returns timestamptz
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  insert into core.mail_token (id, user_id, purpose, email_key, secret_hash, expires_at)
  select p_id, u.id, 'reset', u.email_key, p_secret_hash, now() + interval '1 day'
  from core.app_user u
  where u.id = p_user_id
    and u.kind = 'person'
    and u.status = 'active'
  returning expires_at
$$;
