-- Records a refused invite code.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.record_invite_failure(p_id uuid, p_source text, p_account text) returns void
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  insert into core.invite_failure (id, at, source, account)
  values (p_id, transaction_timestamp(), p_source, p_account)
$$;
