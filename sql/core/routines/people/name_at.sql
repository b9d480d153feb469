-- Returns the name of a user at a given time; null for an unknown user.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.name_at(p_user_id uuid, p_at timestamptz) returns text
  language sql stable parallel safe
  return coalesce(
    (
      select f.name
      from core.former_name f
      where f.user_id = p_user_id
        and f.until > p_at
      order by f.until
      limit 1
    ),
    (select u.name from core.app_user u where u.id = p_user_id)
  );
