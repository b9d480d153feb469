-- Records that the client has received the tokens of the current generation, because it has used one; the refresh
-- token of the previous generation is then refused. False if the session has another generation by now.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.confirm_session(p_company_id uuid, p_id uuid, p_generation integer) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with confirmed as (
    update core.session
    set confirmed = p_generation
    where company_id = p_company_id
      and company_id = (select core.current_company())
      and id = p_id
      and generation = p_generation
    returning id
  )
  select exists (select from confirmed)
$$;
