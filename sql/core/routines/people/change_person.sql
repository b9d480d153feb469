-- Changes the name or e-mail address of the acting member, or of a member who belongs to no other company;
-- returns false for anyone else.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.change_person(p_user_id uuid, p_name text, p_email text) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  select coalesce(
    (
      select core.rename_person(m.user_id, p_name, p_email)
      from core.membership m
      where m.company_id = (select core.current_company())
        and m.user_id = p_user_id
        and m.status <> 'removed'
        and (
          m.user_id = (select core.current_user_id())
          or not exists (
            select from core.membership o
            where o.company_id <> m.company_id
              and o.user_id = m.user_id
              and o.status <> 'removed'
          )
        )
    ),
    false
  )
$$;
