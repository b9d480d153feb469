-- Takes the step of a visit to an identity provider, which no other call can take again; no row if it is unknown,
-- expired, or of another browser.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.take_sign_in(p_secret_hash bytea, p_browser_hash bytea)
  returns table (
    id uuid, issuer text, nonce_hash bytea, sealed_verifier bytea, redirect text, user_id uuid, link_company_id uuid,
    link_session_id uuid, link_generation integer)
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with taken as (
    delete from core.sign_in s
    where s.secret_hash = p_secret_hash
      and s.step = 'provider'
    returning s.*
  )
  select t.id, t.issuer, t.nonce_hash, t.sealed_verifier, t.redirect, t.user_id, t.link_company_id, t.link_session_id,
    t.link_generation
  from taken t
  where t.browser_hash = p_browser_hash
    and t.expires_at > transaction_timestamp()
$$;
