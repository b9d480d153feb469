-- Makes the erasures in the history of the company that this transaction imports cover its entries, whose hashes have
-- changed with the ids. The import has compared the covers with the entries of the archive.
--
-- owner: fettle_eraser
-- execute: fettle_admin
create function core.cover_again(p_company uuid) returns void
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  perform core.entered_import(p_company);
  update core.history_erasure e
  set covers = core.erasure_cover(h)
  from core.history h
  where e.company_id = p_company
    and h.company_id = e.company_id
    and h.record_type = e.record_type
    and h.record_id = e.record_id
    and h.seq = e.seq;
end
$$;
