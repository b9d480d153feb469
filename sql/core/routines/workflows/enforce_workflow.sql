-- Puts a version of a workflow in force for the guard of records; does nothing if it is.
create function core.enforce_workflow(p_record_type text, p_version integer, p_body jsonb) returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  if exists (
    select from core.workflow_state s where s.record_type = p_record_type and s.version = p_version
  ) then
    return;
  end if;
  insert into core.workflow_state
    (record_type, version, status, category, is_initial, is_final, label, color, position)
  select p_record_type, p_version, s.value ->> 'name', s.value ->> 'category', s.value ->> 'name' = p_body ->> 'initial',
    coalesce((s.value ->> 'final')::boolean, false), s.value ->> 'label', s.value ->> 'color', s.ordinality - 1
  from jsonb_array_elements(p_body -> 'states') with ordinality s;
  insert into core.workflow_edge (record_type, version, transition, from_status, to_status, to_category, by_system)
  select p_record_type, p_version, t.value ->> 'name', f.status, t.value ->> 'to', s.category,
    coalesce(t.value ->> 'by', '') = 'system'
  from jsonb_array_elements(p_body -> 'transitions') t
  cross join lateral jsonb_array_elements_text(t.value -> 'from') f (status)
  join core.workflow_state s
    on s.record_type = p_record_type and s.version = p_version and s.status = t.value ->> 'to';

  -- The guard trigger has the allowed transitions as an argument, which is rebuilt here.
  perform core.attach_guard(format('%I.%I', t.table_schema, t.table_name)::regclass, t.name)
  from core.record_type t
  where t.name = p_record_type;
end
$$;
