-- Begins a step of a sign-in, and deletes some expired steps.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.begin_sign_in(
  p_id uuid,
  p_step text,
  p_secret_hash bytea,
  p_seconds integer,
  p_browser_hash bytea default null,
  p_nonce_hash bytea default null,
  p_sealed_verifier bytea default null,
  p_issuer text default null,
  p_redirect text default null,
  p_user_id uuid default null,
  p_link_company_id uuid default null,
  p_link_session_id uuid default null,
  p_link_generation integer default null,
  p_sealed_choices bytea default null
) returns timestamptz
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  expiry timestamptz := transaction_timestamp() + make_interval(secs => p_seconds);
begin
  delete from core.sign_in s
  where s.id in (
    select e.id
    from core.sign_in e
    where e.expires_at < transaction_timestamp()
    order by e.expires_at
    limit 20
    for update skip locked
  );
  insert into core.sign_in (
    id, step, secret_hash, browser_hash, nonce_hash, sealed_verifier, issuer, redirect, user_id, link_company_id,
    link_session_id, link_generation, sealed_choices, expires_at)
  values (
    p_id, p_step, p_secret_hash, p_browser_hash, p_nonce_hash, p_sealed_verifier, p_issuer, p_redirect, p_user_id,
    p_link_company_id, p_link_session_id, p_link_generation, p_sealed_choices, expiry);
  return expiry;
end
$$;
