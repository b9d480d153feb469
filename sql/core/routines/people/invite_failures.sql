-- Returns the number of invite codes refused in the last 15 minutes: from a source, for an account, and in total.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.invite_failures(p_source text, p_account text)
  returns table (from_source bigint, for_account bigint, in_total bigint)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select count(*) filter (where f.source = p_source), count(*) filter (where f.account = p_account), count(*)
  from core.invite_failure f
  where f.at > now() - interval '15 minutes'
$$;
