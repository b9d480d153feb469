-- Uses up the step token of a sign-in whose second factor was accepted; false if it was used already.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.end_factor_step(p_secret_hash bytea) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with taken as (
    delete from core.sign_in s
    where s.secret_hash = p_secret_hash
      and s.step = 'second_factor'
    returning s.expires_at
  )
  select exists (select from taken t where t.expires_at > transaction_timestamp())
$$;
