-- Links an account at an identity provider to a user; returns the user to whom it is linked afterwards, which is
-- another one if it was linked before.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.link_identity(p_id uuid, p_issuer text, p_subject text, p_user_id uuid, p_email text)
  returns table (user_id uuid, is_new boolean)
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
begin
  insert into core.identity (issuer, subject, id, user_id, email)
  values (p_issuer, p_subject, p_id, p_user_id, p_email)
  on conflict do nothing;
  is_new := found;
  -- Read by a statement of its own, which sees the row of a transaction that has committed meanwhile.
  select i.user_id into user_id
  from core.identity i
  where i.issuer = p_issuer
    and i.subject = p_subject;
  return next;
end
$$;
