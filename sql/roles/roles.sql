-- The database roles of Fettle. A superuser runs this file in each database before its first migration. Running
-- it again changes nothing. Roles belong to the whole cluster, so the block locks the catalogue of roles: two
-- databases of one cluster can be prepared at the same time.
--
-- Inheritance of the roles:
--   * fettle_admin inherits no rights. It has the grants and policies of fettle_app and the policies named
--     operator. It cannot become the owner.
--   * fettle_migrator is the only login that can become the owner. `fettle migrate` and the commands that install
--     apps connect as it. Its sessions begin as fettle_admin, and become the owner by `set role fettle_owner` for
--     one transaction. Row-level security is forced on every table, so that not even the owner bypasses it by
--     accident.
--   * fettle_owner inherits no rights either: it can make fettle_auth the owner of functions without having the
--     rights of fettle_auth.
--   * fettle_eraser is the only role that may delete records, history and audit. It logs in nowhere, no login inherits
--     it, and its functions act only on what an operator has asked to erase, and write only to a company that the same
--     transaction creates from an archive.
--   * An app that is not part of the program is installed as fettle_author, which owns nothing but the function
--     that runs the app's statements, and has no right to any row. fettle_installer inherits the rights of
--     fettle_owner and fettle_author, because only such a role can hand the objects of one to the other.
--   * A superuser creates a login for the reports of one company and runs this file again, which gives every
--     login of the group the limits below. An operator then inserts its company into core.report_login:
--       create role fettle_report_7 login password '…' connection limit 5 in role fettle_report_company;

do $$
declare
  wanted record;
begin
  set local client_min_messages = warning;
  lock table pg_catalog.pg_authid in share row exclusive mode;

  for wanted in
    select *
    from (values
      ('fettle_owner', 'nologin noinherit', 'Owns schemas and tables; migrations run as it.'),
      ('fettle_auth', 'nologin noinherit', 'Owns the functions that may be called before a company is known.'),
      ('fettle_author', 'nologin noinherit', 'Runs the SQL of apps that are not part of the program.'),
      ('fettle_eraser', 'nologin noinherit', 'Owns the functions that erase a company or a person.'),
      ('fettle_installer', 'nologin', 'Hands the objects of a checked app from fettle_author to fettle_owner.'),
      ('fettle_report_company', 'nologin', 'Group of the logins that read the reports of one company.'),
      ('fettle_migrator', 'login noinherit', 'Migrates the schema and installs apps as fettle_owner.'),
      ('fettle_admin', 'login noinherit', 'The operator''s commands, which are audited.'),
      ('fettle_app', 'login', 'The server: reads and writes under row-level security.'),
      ('fettle_worker', 'login', 'The workers: the rights of the server, and control of jobs in all companies.'),
      ('fettle_report', 'login', 'Reads the report views of all companies and nothing else.'),
      ('fettle_backup', 'login bypassrls', 'Reads everything for pg_dump and writes nothing.')
    ) as role (name, attributes, purpose)
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = wanted.name) then
      execute format('create role %I %s', wanted.name, wanted.attributes);
    end if;
    -- Set for existing roles too, because the isolation of companies relies on these attributes.
    execute format(
      'alter role %I nosuperuser nocreaterole nocreatedb noreplication %s %s',
      wanted.name,
      case when wanted.name = 'fettle_backup' then 'bypassrls' else 'nobypassrls' end,
      case when wanted.attributes like '%noinherit%' then 'noinherit' else 'inherit' end);
    -- Reports are read in psql and by tools, without a schema. The statements of all other roles name it.
    execute format('alter role %I set search_path = %L', wanted.name,
      case when wanted.name = 'fettle_report' then 'report' else '' end);
    execute format('comment on role %I is %L', wanted.name, wanted.purpose);
  end loop;

  if exists (
    select from pg_catalog.pg_auth_members m
    where m.roleid = 'fettle_owner'::regrole and m.member = 'fettle_admin'::regrole
  ) then
    revoke fettle_owner from fettle_admin;
  end if;
  grant fettle_owner to fettle_migrator;
  grant fettle_admin to fettle_migrator;
  grant fettle_app to fettle_admin;
  grant fettle_auth to fettle_owner;
  grant fettle_author to fettle_owner;
  grant fettle_eraser to fettle_owner;
  grant fettle_owner to fettle_installer;
  grant fettle_author to fettle_installer;
  grant fettle_installer to fettle_migrator;
  grant pg_read_all_data to fettle_backup;

  alter role fettle_migrator set role = 'fettle_admin';
  alter role fettle_app set statement_timeout = '60s';
  alter role fettle_app set lock_timeout = '10s';
  alter role fettle_app set idle_in_transaction_session_timeout = '60s';
  alter role fettle_worker set statement_timeout = '60s';
  alter role fettle_worker set lock_timeout = '10s';
  alter role fettle_worker set idle_in_transaction_session_timeout = '60s';

  alter role fettle_backup set default_transaction_read_only = on;

  -- PostgreSQL 16 keeps connections for these roles, if reserved_connections is set.
  if exists (select from pg_catalog.pg_roles where rolname = 'pg_use_reserved_connections') then
    grant pg_use_reserved_connections to fettle_admin, fettle_app, fettle_worker, fettle_backup;
  end if;

  -- Rights on this database: none by default, no temporary tables, which could shadow tables that a function
  -- reads, and only the owner may create schemas.
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect, create on database %I to fettle_owner', current_database());
  execute format(
    'grant connect on database %I to fettle_migrator, fettle_admin, fettle_app, fettle_worker, fettle_report, '
    'fettle_report_company, fettle_backup',
    current_database());
  revoke all on schema public from public;

  alter default privileges for role fettle_owner revoke execute on functions from public;
  alter default privileges for role fettle_auth revoke execute on functions from public;
  alter default privileges for role fettle_author revoke execute on functions from public;
  alter default privileges for role fettle_eraser revoke execute on functions from public;

  -- A block or function in PL/pgSQL is not parsed before it runs, so only the migrator's roles may write one.
  revoke usage on language plpgsql from public;
  grant usage on language plpgsql to fettle_auth, fettle_eraser;
  grant usage on language plpgsql to fettle_owner with grant option;
end
$$;

-- The limits of reporting logins. A login can change all of its settings but temp_file_limit and those of the log, even
-- for good, so running this file again discards its changes. It cannot change its connection limit, so another one is kept.
do $$
declare
  login name;
  setting record;
  stray record;
begin
  lock table pg_catalog.pg_authid in share row exclusive mode;
  for login in
    select r.rolname
    from pg_catalog.pg_roles r
    where r.rolname = 'fettle_report'
      or r.rolcanlogin and not r.rolsuper and pg_catalog.pg_has_role(r.oid, 'fettle_report_company', 'member')
  loop
    for stray in
      select d.datname, split_part(c.setting, '=', 1) as name
      from pg_catalog.pg_db_role_setting s
      join pg_catalog.pg_database d on d.oid = s.setdatabase
      cross join lateral unnest(s.setconfig) c (setting)
      where s.setrole = (select r.oid from pg_catalog.pg_roles r where r.rolname = login)
    loop
      execute format('alter role %I in database %I reset %s', login, stray.datname, stray.name);
    end loop;

    execute format('alter role %I reset all', login);
    for setting in
      select *
      from (values
        ('search_path', 'report'),
        ('default_transaction_read_only', 'on'),
        ('statement_timeout', '30s'),
        ('lock_timeout', '2s'),
        ('idle_in_transaction_session_timeout', '60s'),
        ('idle_session_timeout', '1h'),
        ('max_parallel_workers_per_gather', '0'),
        ('work_mem', '32MB'),
        ('temp_file_limit', '256MB'),
        -- An error and its statement may be as long as the login likes, and would fill the disk of the log.
        ('log_min_messages', 'fatal'),
        ('log_min_error_statement', 'panic'),
        ('log_min_duration_statement', '-1'),
        ('log_statement', 'none')
      ) as limits (name, value)
    loop
      execute format('alter role %I set %s = %L', login, setting.name, setting.value);
    end loop;

    if (select r.rolconnlimit < 0 from pg_catalog.pg_roles r where r.rolname = login) then
      execute format(
        'alter role %I connection limit %s', login, case when login = 'fettle_report' then 20 else 5 end);
    end if;
  end loop;
end
$$;

-- Built-in functions with side effects: they lock, notify, write to the log of changes, create large objects or
-- assign transaction ids. PostgreSQL lets everyone call them, even in a read-only transaction. Here, only the
-- roles that use a function may call it. core.open_builtins() has the same list of harmless functions, and
-- `fettle doctor` compares.
do $$
declare
  builtin record;
begin
  for builtin in
    select p.oid::regprocedure as name
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
      and exists (
        select from pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) a
        where a.grantee = 0
      )
  loop
    execute format('revoke execute on function %s from public', builtin.name);
  end loop;

  for builtin in
    select p.oid::regprocedure as name, g.role
    from (values
      ('fettle_owner', '^(pg_(try_)?advisory_xact_lock(_shared)?|pg_current_xact_id)$'),
      -- The last two show whether the data folder was restored.
      (
        'fettle_auth',
        '^(pg_(try_)?advisory_xact_lock(_shared)?|pg_current_xact_id|pg_notify|pg_current_wal_lsn|pg_control_system)$'
      ),
      ('fettle_app', '^(pg_(try_)?advisory_xact_lock(_shared)?|pg_current_xact_id)$'),
      ('fettle_worker', '^(pg_(try_)?advisory_xact_lock(_shared)?|pg_current_xact_id)$'),
      -- The migrator, whose sessions are those of fettle_admin, locks for the time of several transactions.
      ('fettle_admin', '^(pg_(try_)?advisory_(xact_)?lock(_shared)?|pg_advisory_unlock|pg_current_xact_id)$'),
      -- pg_dump exports its snapshot to parallel jobs and reads large objects; a manifest names the position of the log.
      ('fettle_backup', '^(pg_export_snapshot|lo_open|lo_close|loread|pg_current_wal_lsn)$')
    ) as g (role, pattern)
    join pg_catalog.pg_proc p on p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ g.pattern
    where not pg_catalog.has_function_privilege(g.role::name, p.oid, 'execute')
  loop
    execute format('grant execute on function %s to %I', builtin.name, builtin.role);
  end loop;
end
$$;

-- The other databases of a server that has only Fettle's roles and superusers. On a server with further roles,
-- `fettle doctor` reports databases that the roles can connect to.
do $$
declare
  other name;
begin
  lock table pg_catalog.pg_authid in share row exclusive mode;
  if exists (
    select from pg_catalog.pg_roles r
    where r.rolcanlogin
      and not r.rolsuper
      and r.rolname not like 'fettle\_%'
      and not pg_catalog.pg_has_role(r.oid, 'fettle_report_company', 'member')
  ) then
    return;
  end if;
  for other in
    select d.datname
    from pg_catalog.pg_database d
    where d.datname in ('postgres', 'template1')
      and exists (
        select from pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) a
        where a.grantee = 0
      )
  loop
    execute format('revoke all on database %I from public', other);
  end loop;
end
$$;
