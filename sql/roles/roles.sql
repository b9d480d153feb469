-- The database roles of Fettle. A superuser runs this file in each database before its first migration. Running
-- it again changes nothing. Roles belong to the whole cluster, so the block locks the catalogue of roles: two
-- databases of one cluster can be prepared at the same time.
--
-- Inheritance of the roles:
--   * fettle_admin inherits no rights. It has the grants and policies of fettle_app and the policies named
--     operator, and becomes the owner only by `set role fettle_owner`. Row-level security is forced on every
--     table, so that not even the owner bypasses it by accident.
--   * fettle_owner inherits no rights either: it can make fettle_auth the owner of functions without having the
--     rights of fettle_auth.
--   * An app that is not part of the program is installed as fettle_author, which owns nothing but the function
--     that runs the app's statements, and has no right to any row. fettle_installer inherits the rights of
--     fettle_owner and fettle_author, because only such a role can hand the objects of one to the other.
--   * A superuser creates a login for the reports of one company, because only a superuser can limit temporary
--     files. An operator then inserts its company into core.report_login:
--       create role fettle_report_7 login password '…' in role fettle_report_company;
--       alter role fettle_report_7 set search_path = report;
--       alter role fettle_report_7 set default_transaction_read_only = on;
--       alter role fettle_report_7 set statement_timeout = '30s';
--       alter role fettle_report_7 set temp_file_limit = '256MB';

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
      ('fettle_installer', 'nologin', 'Hands the objects of a checked app from fettle_author to fettle_owner.'),
      ('fettle_report_company', 'nologin', 'Group of the logins that read the reports of one company.'),
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

  grant fettle_owner to fettle_admin;
  grant fettle_app to fettle_admin;
  grant fettle_auth to fettle_owner;
  grant fettle_author to fettle_owner;
  grant fettle_owner to fettle_installer;
  grant fettle_author to fettle_installer;
  grant fettle_installer to fettle_admin;
  grant pg_read_all_data to fettle_backup;

  alter role fettle_app set statement_timeout = '60s';
  alter role fettle_app set lock_timeout = '10s';
  alter role fettle_app set idle_in_transaction_session_timeout = '60s';
  alter role fettle_worker set statement_timeout = '60s';
  alter role fettle_worker set lock_timeout = '10s';
  alter role fettle_worker set idle_in_transaction_session_timeout = '60s';

  alter role fettle_report set default_transaction_read_only = on;
  alter role fettle_report set statement_timeout = '30s';
  alter role fettle_report set lock_timeout = '2s';
  alter role fettle_report set idle_in_transaction_session_timeout = '60s';
  alter role fettle_report set max_parallel_workers_per_gather = 0;
  alter role fettle_report set work_mem = '32MB';
  alter role fettle_report set temp_file_limit = '256MB';
  alter role fettle_backup set default_transaction_read_only = on;

  -- Rights on this database: none by default, no temporary tables, which could shadow tables that a function
  -- reads, and only the owner may create schemas.
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect, create on database %I to fettle_owner', current_database());
  execute format(
    'grant connect on database %I to fettle_admin, fettle_app, fettle_worker, fettle_report, '
    'fettle_report_company, fettle_backup',
    current_database());
  revoke all on schema public from public;

  alter default privileges for role fettle_owner revoke execute on functions from public;
  alter default privileges for role fettle_auth revoke execute on functions from public;
  alter default privileges for role fettle_author revoke execute on functions from public;

  -- A block or function in PL/pgSQL is not parsed before it runs, so only the migrator's roles may write one.
  revoke usage on language plpgsql from public;
  grant usage on language plpgsql to fettle_auth;
  grant usage on language plpgsql to fettle_owner with grant option;
end
$$;
