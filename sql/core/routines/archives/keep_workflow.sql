-- Keeps the version of a workflow that a company in an archive follows, and puts it in force. Returns false if another
-- workflow has the number here. The engine has checked the definition where it was installed.
--
-- execute: fettle_admin
create function core.keep_workflow(p_record_type text, p_version integer, p_body jsonb, p_sha256 bytea) returns boolean
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  kept jsonb;
begin
  perform set_config('lock_timeout', '5s', true);
  -- One number at a time.
  perform from core.record_type t where t.name = p_record_type for update;
  if not found
    or p_body ->> 'workflow' is distinct from p_record_type
    or p_body ->> 'version' is distinct from p_version::text
  then
    raise exception 'there is no such workflow of %', p_record_type using errcode = 'invalid_parameter_value';
  end if;
  select d.body into kept
  from core.workflow_definition d
  where d.record_type = p_record_type and d.version = p_version;
  if kept <> p_body then
    return false;
  end if;
  if kept is null then
    insert into core.workflow_definition (record_type, version, body, sha256, is_current)
    values (p_record_type, p_version, p_body, p_sha256, false);
  end if;
  perform core.enforce_workflow(p_record_type, p_version, p_body);
  return true;
end
$$;
