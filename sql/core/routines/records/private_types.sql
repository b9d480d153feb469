-- Returns the record types whose records are private to their owners; null if there are none.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.private_types() returns text[]
  language sql stable parallel safe
  return (
    select array_agg(t.name)
    from core.record_type t
    where t.definition ->> 'scope' = 'owner'
  );
