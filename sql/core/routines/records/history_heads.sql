-- Returns the newest history entry before a time of each record of the transaction's company, private ones too,
-- without contents; daily seals cover these.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.history_heads(p_until timestamptz)
  returns table (record_type text, record_id uuid, seq bigint, hash bytea)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select distinct on (h.record_type collate "C", h.record_id) h.record_type, h.record_id, h.seq, h.hash
  from core.history h
  where h.company_id = (select core.current_company())
    and h.occurred_at < p_until
  order by h.record_type collate "C", h.record_id, h.seq desc
$$;
