-- True if the acting member owns a private record of the transaction's company. If the record's row is gone, its
-- history decides.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.owns_record(p_record_type text, p_record_id uuid) returns boolean
  language plpgsql stable parallel safe security definer
  set search_path = core, pg_temp
as $$
declare
  acting uuid := core.current_user_id();
  place core.record_type;
  owner uuid;
begin
  if acting is null then
    return false;
  end if;
  select t.table_schema, t.table_name into place.table_schema, place.table_name
  from core.record_type t
  where t.name = p_record_type;
  execute format(
    'select t.created_by from %I.%I t where t.company_id = $1 and t.id = $2',
    place.table_schema, place.table_name)
  into owner
  using core.current_company(), p_record_id;
  return coalesce(owner, core.record_owner(p_record_type, p_record_id)) is not distinct from acting;
end
$$;
