-- Returns the owner of a private record of the transaction's company: the member whom it was last transferred to,
-- otherwise its creator; null without history. Jobs need this, because they know only the record's id.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.record_owner(p_record_type text, p_record_id uuid) returns uuid
  language sql stable parallel safe security definer
  set search_path = core, pg_temp
as $$
  select coalesce(
    (
      select (h.changes -> 'created_by' ->> 1)::uuid
      from core.history h
      where h.company_id = (select core.current_company())
        and h.record_type = p_record_type
        and h.record_id = p_record_id
        and h.changes ? 'created_by'
      order by h.seq desc
      limit 1
    ),
    (
      select coalesce(h.on_behalf_of, h.actor_id)
      from core.history h
      where h.company_id = (select core.current_company())
        and h.record_type = p_record_type
        and h.record_id = p_record_id
        and h.seq = 1
    )
  )
$$;
