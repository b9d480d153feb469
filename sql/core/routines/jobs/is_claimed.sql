-- Returns true if a queued row is part of a claim.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
create function core.is_claimed(p_company uuid, p_lane uuid, p_xid xid8, p_id uuid) returns boolean
  language sql stable
  set search_path = core, pg_temp
as $$
  select exists (
    select from (select p_company as company_id, p_lane as lane, p_xid as xid, p_id as id) p
    cross join lateral (
      -- include: claim_of_row of=p columns=c.no
    ) c
  )
$$;
