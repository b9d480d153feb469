-- Returns how many changes of a device wait for a person: conflicts, and changes that the server refused.
--
-- Changes of private records count too: somebody has to decide about them, and the number reveals nothing of them. A
-- transaction inside a company, and a login for the reports of one, gets the numbers of that company only.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_report, fettle_report_company
create function core.device_waiting(p_company uuid, p_device uuid)
  returns table (conflicts bigint, failed bigint)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select count(*) filter (where s.status = 'conflict'), count(*) filter (where s.status = 'failed')
  from core.sync_item s
  where s.company_id = p_company
    and s.device_id = p_device
    and s.status in ('conflict', 'failed')
    and s.result is not null
    and p_company = coalesce(core.report_company(), core.current_company(), p_company)
$$;
