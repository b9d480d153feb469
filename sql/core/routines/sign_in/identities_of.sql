-- Returns the identities of a user, oldest first.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.identities_of(p_user_id uuid)
  returns table (id uuid, issuer text, subject text, email text, linked_at timestamptz, last_used_at timestamptz)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select i.id, i.issuer, i.subject, i.email, i.linked_at, i.last_used_at
  from core.identity i
  where i.user_id = p_user_id
  order by i.linked_at, i.id
$$;
