-- Removes an identity of a user: 'removed', 'unknown', or 'last' if the user could not sign in without it.
--
-- The user's row is locked, so that two concurrent calls cannot remove the last two identities.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.unlink_identity(p_user_id uuid, p_id uuid) returns text
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  has_password boolean;
begin
  select u.password_hash is not null into has_password
  from core.app_user u
  where u.id = p_user_id
  for update;
  if not exists (select from core.identity i where i.id = p_id and i.user_id = p_user_id) then
    return 'unknown';
  end if;
  if not has_password
    and not exists (select from core.identity i where i.user_id = p_user_id and i.id <> p_id)
  then
    return 'last';
  end if;
  delete from core.identity i where i.id = p_id and i.user_id = p_user_id;
  return 'removed';
end
$$;
