-- Returns the user who signs in with an account at an identity provider, and records the use.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.identity_lookup(p_issuer text, p_subject text, p_email text)
  returns table (user_id uuid, user_status text)
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with used as (
    update core.identity i
    set last_used_at = transaction_timestamp(), email = coalesce(p_email, i.email)
    where i.issuer = p_issuer
      and i.subject = p_subject
    returning i.user_id
  )
  select u.id, u.status
  from used
  join core.app_user u on u.id = used.user_id
$$;
