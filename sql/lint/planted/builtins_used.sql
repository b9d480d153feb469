-- A large object is in no table, and no policy applies to it.
grant execute on function pg_catalog.lo_create(oid) to fettle_app;
