-- Removes the second factor of a user, a pending one and the recovery codes; false if sign-in required none.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.remove_second_factor(p_user_id uuid) returns boolean
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  confirmed timestamptz;
begin
  delete from core.second_factor f where f.user_id = p_user_id returning f.confirmed_at into confirmed;
  delete from core.recovery_code c where c.user_id = p_user_id;
  return confirmed is not null;
end
$$;
