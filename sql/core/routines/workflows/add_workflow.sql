-- Adds a company's own version of a workflow under the next free number above those of apps, puts it in force, and returns
-- the number. The engine has checked the definition.
--
-- execute: fettle_admin
create function core.add_workflow(p_record_type text, p_body jsonb) returns integer
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  number integer;
  body jsonb;
begin
  perform set_config('lock_timeout', '5s', true);
  -- One number at a time.
  perform from core.record_type t where t.name = p_record_type for update;
  if not found or p_body ->> 'workflow' is distinct from p_record_type then
    raise exception 'there is no record type %', p_record_type using errcode = 'invalid_parameter_value';
  end if;
  select greatest(max(d.version), 1000000000) + 1 into number
  from core.workflow_definition d
  where d.record_type = p_record_type;
  body := jsonb_set(p_body, '{version}', to_jsonb(number));

  insert into core.workflow_definition (record_type, version, body, sha256, is_current)
  values (p_record_type, number, body, sha256(convert_to(body::text, 'UTF8')), false);
  perform core.enforce_workflow(p_record_type, number, body);
  return number;
end
$$;
