-- Changes the name or e-mail address of a user, for operators, and stores the former name; returns false if
-- there is no such user. Another address is not verified.
--
-- owner: fettle_auth
-- execute: fettle_admin
create function core.rename_person(p_user_id uuid, p_name text, p_email text) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with before as (
    select u.id, u.name from core.app_user u where u.id = p_user_id for update
  ),
  kept as (
    -- If one transaction changes the name twice, only the name before the transaction was visible to others.
    insert into core.former_name (user_id, until, name)
    select b.id, transaction_timestamp(), b.name from before b where b.name <> p_name
    on conflict do nothing
  ),
  changed as (
    update core.app_user u
    set name = coalesce(p_name, u.name), email = coalesce(p_email, u.email),
      email_verified_at = case
        when p_email is null or lower(btrim(p_email)) = u.email_key then u.email_verified_at
      end,
      updated_at = transaction_timestamp()
    from before b
    where u.id = b.id
    returning u.id
  )
  select exists (select from changed)
$$;
