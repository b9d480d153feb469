-- Creates the company of the transaction for a person who signs up; false if the slug is taken. Businesses,
-- households and personal companies only.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.create_company(
  p_id uuid, p_slug text, p_name text, p_kind text, p_timezone text, p_uses_all_apps boolean) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with created as (
    insert into core.company (id, slug, name, kind, timezone, uses_all_apps)
    select p_id, p_slug, p_name, p_kind, p_timezone, p_uses_all_apps
    where p_id = (select core.current_company())
    on conflict (slug) do nothing
    returning id
  )
  select exists (select from created)
$$;
