-- Removes versions of a workflow from the tables that the guard of records reads, except the current version and
-- those that companies need; returns the removed versions.
--
-- execute: fettle_admin
create function core.drop_versions(p_record_type text, p_needed integer[]) returns setof integer
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  gone integer[];
begin
  perform set_config('lock_timeout', '5s', true);
  select coalesce(array_agg(d.version), '{}') into gone
  from core.workflow_definition d
  where d.record_type = p_record_type
    and not d.is_current
    and d.version <> all (p_needed)
    and exists (
      select from core.workflow_state s where s.record_type = d.record_type and s.version = d.version
    );
  if cardinality(gone) = 0 then
    return;
  end if;
  delete from core.workflow_edge e where e.record_type = p_record_type and e.version = any (gone);
  delete from core.workflow_state s where s.record_type = p_record_type and s.version = any (gone);
  -- The guard trigger has the allowed transitions as an argument, which is rebuilt here.
  perform core.attach_guard(format('%I.%I', t.table_schema, t.table_name)::regclass, t.name)
  from core.record_type t
  where t.name = p_record_type;
  return query select unnest(gone);
end
$$;
