-- Returns the number of the next import of the transaction's company.
--
-- A SECURITY DEFINER function, because private imports of other members have numbers too.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_admin
create function core.next_import_number() returns bigint
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select coalesce(max(i.number), 0) + 1
  from core.import i
  where i.company_id = (select core.current_company())
$$;
