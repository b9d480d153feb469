-- A lock that a report can hold against everyone.
grant execute on function pg_catalog.pg_advisory_lock(bigint) to public;
