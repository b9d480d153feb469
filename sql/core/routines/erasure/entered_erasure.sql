-- Enters the company of a running erasure and returns its id. Refuses every other company: the functions that pass the
-- guards call this first.
--
-- execute: fettle_eraser
create function core.entered_erasure(p_erasure uuid) returns uuid
  language plpgsql
  set search_path = ''
as $$
declare
  company uuid;
begin
  select e.subject into company
  from core.erasure e
  where e.id = p_erasure and e.kind = 'company' and e.started_at is not null and e.finished_at is null;
  if company is null then
    raise exception 'this erasure is not running' using errcode = 'insufficient_privilege';
  end if;
  perform pg_catalog.set_config('fettle.company_id', company::text, true);
  return company;
end
$$;
