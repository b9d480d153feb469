-- Returns the records of the transaction's company that have a history, private ones too, for the verification.
--
-- owner: fettle_auth
-- execute: fettle_admin, fettle_app, fettle_worker
create function core.history_chains() returns table (record_type text, record_id uuid, entries bigint)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select h.record_type, h.record_id, count(*)
  from core.history h
  where h.company_id = (select core.current_company())
  group by h.record_type, h.record_id
  having min(h.seq) = 1
$$;
