-- Stores a new secret for the second factor of a user, to be confirmed within 15 minutes. A confirmed secret stays in
-- use until then.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.begin_second_factor(p_user_id uuid, p_pending_secret bytea) returns void
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  insert into core.second_factor as f (user_id, pending_secret, pending_until)
  values (p_user_id, p_pending_secret, transaction_timestamp() + interval '15 minutes')
  on conflict (user_id) do update
  set pending_secret = excluded.pending_secret, pending_until = excluded.pending_until
$$;
