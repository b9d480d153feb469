-- Enters the company that this transaction has created from an archive. Refuses every other company: an older one has audit
-- entries or roles that are older than the transaction.
--
-- execute: fettle_eraser
create function core.entered_import(p_company uuid) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  mine constant xid := pg_catalog.pg_current_xact_id_if_assigned()::xid;
begin
  perform pg_catalog.set_config('fettle.company_id', p_company::text, true);
  if mine is null
    or not exists (select from core.company c where c.id = p_company and c.xmin = mine)
    or exists (select from core.audit a where a.company_id = p_company and a.xmin <> mine)
    or exists (select from core.role r where r.company_id = p_company and r.xmin <> mine)
  then
    raise exception 'this transaction does not import the company' using errcode = 'insufficient_privilege';
  end if;
end
$$;
