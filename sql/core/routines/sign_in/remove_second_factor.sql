-- Removes the second factor of a user, a pending one, the recovery codes and the sign-ins that wait for a code; false if
-- sign-in required none.
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
  delete from core.sign_in s where s.user_id = p_user_id and s.step = 'second_factor';
  return confirmed is not null;
end
$$;
