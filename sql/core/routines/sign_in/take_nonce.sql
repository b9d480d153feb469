-- Uses up a nonce for the ID token of a native app; false if it is unknown, expired or used already.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.take_nonce(p_nonce_hash bytea) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with taken as (
    delete from core.sign_in s
    where s.secret_hash = p_nonce_hash
      and s.step = 'nonce'
    returning s.expires_at
  )
  select exists (select from taken t where t.expires_at > transaction_timestamp())
$$;
