-- Returns the built-in functions with side effects that a role may call; none for a reporting login.
--
-- The list of harmless functions is also in roles/roles.sql, which revokes the others from PUBLIC.
--
-- execute: fettle_admin
create function core.open_builtins(p_role name) returns setof text
  language sql stable
  set search_path = ''
as $$
  select p.oid::regprocedure::text
  from pg_catalog.pg_proc p
  where p.pronamespace = 'pg_catalog'::regnamespace
    and p.prokind in ('f', 'p')
    and (p.provolatile = 'v' or p.proname ~ '^(txid_current|pg_current_xact_id|(table|schema|database)_to_xml.*)$')
    and p.proname !~ '^(pg_stat_|binary_upgrade_)'
    and p.proname not in (
      'clock_timestamp', 'current_query', 'gen_random_uuid', 'pg_blocking_pids', 'pg_collation_actual_version',
      'pg_database_collation_actual_version', 'pg_database_size', 'pg_indexes_size', 'pg_is_in_recovery',
      'pg_jit_available', 'pg_lock_status', 'pg_partition_ancestors', 'pg_partition_tree', 'pg_relation_size',
      'pg_sleep', 'pg_sleep_for', 'pg_sleep_until', 'pg_table_size', 'pg_tablespace_size',
      'pg_total_relation_size', 'pg_xact_status', 'plpgsql_validator', 'random', 'set_config', 'setseed',
      'timeofday', 'txid_status')
    -- These can only be called by the server itself.
    and p.prorettype::regtype::text !~ '^(trigger|event_trigger|internal|.*_handler)$'
    and 'internal'::regtype <> all (p.proargtypes::oid[])
    and pg_catalog.has_function_privilege(p_role, p.oid, 'execute')
  order by 1
$$;
