-- Creates a company from its row in an archive, whose other rows the same transaction writes by core.import_rows().
--
-- owner: fettle_eraser
-- execute: fettle_admin
create function core.begin_import(p_company jsonb) returns void
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  company core.company%rowtype := jsonb_populate_record(null::core.company, p_company);
begin
  if company.id is null or company.kind = 'system' or company.status = 'erased' then
    raise exception 'this company cannot be imported' using errcode = 'invalid_parameter_value';
  end if;
  -- A restore would erase it again.
  if exists (select from core.erasure e where e.digest = sha256(uuid_send(company.id))) then
    raise exception 'a company with this id was erased here' using errcode = 'unique_violation';
  end if;
  perform set_config('fettle.company_id', company.id::text, true);
  insert into core.company select company.*;
end
$$;
