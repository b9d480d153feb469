-- Returns a history entry of the transaction's company, of a private record too, without contents: for webhooks
-- and for the verification of jobs.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.history_event(p_record_type text, p_record_id uuid, p_seq bigint)
  returns table (occurred_at timestamptz, transition text, from_status text, to_status text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select h.occurred_at, h.transition, h.from_status, h.to_status
  from core.history h
  where h.company_id = (select core.current_company())
    and h.record_type = p_record_type
    and h.record_id = p_record_id
    and h.seq = p_seq
$$;
