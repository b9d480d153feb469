-- Attaches the guard to a record table, with the transitions of its workflow; called whenever these change.
create function core.attach_guard(target regclass, p_record_type text) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  mode text;
  ways text;
begin
  select case when count(*) = 2 then 'workflow' else 'plain' end into mode
  from pg_catalog.pg_attribute a
  where a.attrelid = target
    and a.attname in ('status', 'status_category')
    and not a.attisdropped;

  select coalesce(string_agg(way, '' order by way), '') into ways
  from (
    select core.status_step(e.from_status, e.to_status, s.category) as way
    from core.workflow_edge e
    join core.workflow_state s
      on s.record_type = e.record_type and s.version = e.version and s.status = e.to_status
    where e.record_type = p_record_type
    union
    select core.status_step(null, s.status, s.category)
    from core.workflow_state s
    where s.record_type = p_record_type and s.is_initial
  ) known;

  if not exists (
    select from pg_catalog.pg_trigger t
    where t.tgrelid = target
      and t.tgname = 'guard'
      and t.tgfoid = 'core.guard_record()'::regprocedure
      and t.tgtype = 31
      and t.tgenabled = 'O'
      and t.tgqual is null
      and pg_catalog.encode(t.tgargs, 'escape') = p_record_type || '\000' || mode || '\000' || ways || '\000'
  ) then
    execute format(
      'create or replace trigger guard before insert or update or delete on %s '
      'for each row execute function core.guard_record(%L, %L, %L)',
      target, p_record_type, mode, ways);
  end if;
end
$$;
