import Store
import TestDatabase
import Testing

/// The example app of `sql/examples`, with one addition that attacks companies, the engine or another app.
struct HostileApp: Sendable, CustomTestStringConvertible {
  let name: String
  /// The expected code of the finding.
  let code: String
  /// The added file.
  let file: String
  let text: String
  /// True if the addition comes with version 2.
  var isUpgrade = false

  var testDescription: String { name }

  init(_ name: String, _ code: String, _ file: String, _ text: String, isUpgrade: Bool = false) {
    (self.name, self.code, self.file, self.text, self.isUpgrade) = (name, code, file, text, isUpgrade)
  }

  func package() throws -> AppPackage {
    let example = try ExampleApp.read()
    guard isUpgrade else { return try example.adding(file, text).package() }
    return try example.replacing("version: 1", with: "version: 2", in: "orchard.app.yaml")
      .adding(file, text).package()
  }

  static let all = statements + settings + readers + others

  private static let company = "00000000-0000-0000-0000-000000000001"

  /// Statements that would run code while the app is installed.
  private static let statements = [
    HostileApp(
      "a block that lifts FORCE in a subtransaction and rolls it back",
      "statement_not_allowed",
      "tables/02_block.sql",
      """
      do $$ begin
        alter table maintenance.machine no force row level security;
        raise exception 'back';
      exception when others then null; end $$;
      """
    ),
    HostileApp(
      "a query that becomes the operator",
      "statement_not_allowed",
      "tables/02_query.sql",
      "select set_config('role', 'none', true);"
    ),
    HostileApp(
      "rows whose values become the operator",
      "function_not_allowed",
      "tables/02_rows.sql",
      """
      create table orchard.word (name text primary key);
      insert into orchard.word (name) values (set_config('role', 'none', true));
      """
    ),
    HostileApp(
      "rows that are copied from the secrets of all companies",
      "writes_rows",
      "tables/02_copy.sql",
      """
      create table orchard.word (name text primary key);
      insert into orchard.word (name) select encode(t.secret_hash, 'hex') from core.api_token t;
      """
    ),
    HostileApp(
      "a bound of a partition that sets the company",
      "session_setting",
      "tables/02_bound.sql",
      """
      create table orchard.part (company_id uuid, name text) partition by list (name);
      create table orchard.part_1 partition of orchard.part
        for values in (set_config('fettle.company_id', '\(company)', true));
      """
    ),
    HostileApp(
      "a change of the function that runs the next statement",
      "changes_others",
      "tables/02_runner.sql",
      """
      alter function core.run_as_author(text) security invoker;
      alter table maintenance.machine no force row level security;
      """
    ),
    HostileApp(
      "a right for everybody to run statements as an app",
      "changes_others",
      "tables/02_runner.sql",
      "grant execute on function core.run_as_author(text) to public;"
    ),
    HostileApp(
      "a function in PL/pgSQL",
      "changes_others",
      "routines/days.sql",
      """
      -- Days.
      create function orchard.days() returns integer language plpgsql stable as $$
      begin
        perform set_config('fettle.company_id', '\(company)', true);
        return 1;
      end $$;
      """
    ),
    HostileApp(
      "a trigger in a language that is not parsed",
      "changes_others",
      "tables/02_trigger.sql",
      """
      create function orchard.copy() returns trigger language plpgsql as $$ begin return new; end $$;
      create trigger copy after insert on orchard.tree for each row execute function orchard.copy();
      """
    ),
  ]

  /// Objects that change a setting, wait or write when a company uses them.
  private static let settings = [
    HostileApp(
      "a function with a body that is parsed when it runs",
      "function_not_allowed",
      "routines/days.sql",
      """
      -- Days.
      create function orchard.days() returns text language sql stable
        as $$ select set_config('fettle.company_id', '\(company)', true) $$;
      """
    ),
    HostileApp(
      "a function that sets the company while it runs",
      "changes_others",
      "routines/trees.sql",
      """
      -- The number of trees.
      create function orchard.trees() returns bigint language sql stable
        set fettle.company_id = '\(company)'
      begin atomic
        select count(*) from orchard.tree;
      end;
      """
    ),
    HostileApp(
      "a function that changes a setting of PostgreSQL while it runs",
      "function_not_allowed",
      "routines/trees.sql",
      """
      -- The number of trees.
      create function orchard.trees() returns bigint language sql stable
        set statement_timeout = 0
      begin atomic
        select count(*) from orchard.tree;
      end;
      """
    ),
    HostileApp(
      "a function that calls set_config",
      "function_not_allowed",
      "routines/days.sql",
      """
      -- Days.
      create function orchard.days() returns text language sql stable
      begin atomic
        select set_config('fettle.company_id', '\(company)', true);
      end;
      """
    ),
    HostileApp(
      "a function with set_config as the default of an argument",
      "function_not_allowed",
      "routines/days.sql",
      """
      -- Days.
      create function orchard.days(a text default set_config('fettle.company_id', '\(company)', true))
        returns text language sql stable return a;
      """
    ),
    HostileApp(
      "a function that writes rows and claims to be stable",
      "function_not_allowed",
      "routines/fell.sql",
      """
      -- Fells a tree.
      create function orchard.fell() returns void language sql stable
      begin atomic
        update orchard.tree set status = 'felled';
      end;
      """
    ),
    HostileApp(
      "a view that calls set_config",
      "function_not_allowed",
      "views/v_day.sql",
      """
      -- Days.
      create view orchard.v_day with (security_invoker = true) as
      select set_config('fettle.company_id', '\(company)', true) as day;
      """
    ),
    HostileApp(
      "a view that runs a query of a text",
      "function_not_allowed",
      "views/v_day.sql",
      """
      -- Days.
      create view orchard.v_day with (security_invoker = true) as
      select query_to_xml('select set_config(''role'', ''none'', false)', true, true, '')::text as day;
      """
    ),
    HostileApp(
      "a default that sets the company",
      "function_not_allowed",
      "tables/02_default.sql",
      "alter table orchard.tree alter column variety set default set_config('fettle.company_id', '\(company)', true);"
    ),
    HostileApp(
      "a check that sets the user",
      "function_not_allowed",
      "tables/02_check.sql",
      "alter table orchard.tree add check (set_config('fettle.user_id', code, true) is not null);"
    ),
    HostileApp(
      "a generated column that waits",
      "function_not_allowed",
      "tables/02_generated.sql",
      """
      create function orchard.wait(a text) returns text language sql immutable
      begin atomic
        select a from pg_sleep(3600);
      end;
      alter table orchard.tree add column slow text generated always as (orchard.wait(code)) stored;
      """
    ),
    HostileApp(
      "an index that waits whenever it is analysed",
      "function_not_allowed",
      "tables/02_index.sql",
      """
      create function orchard.wait(a text) returns text language sql immutable
        as $$ select a from pg_sleep(3600) $$;
      create index on orchard.tree (company_id, orchard.wait(code));
      """
    ),
    HostileApp(
      "a domain with a check that sets the company",
      "relation_not_allowed",
      "tables/02_domain.sql",
      """
      create domain orchard.word as text
        check (set_config('fettle.company_id', value, true) is not null);
      alter table orchard.tree add column word orchard.word;
      """
    ),
    HostileApp(
      "an operator that calls set_config",
      "relation_not_allowed",
      "tables/02_operator.sql",
      """
      create function orchard.set(a text, b text) returns text language sql stable
        return set_config(a, b, true);
      create operator orchard.@@@ (function = orchard.set, leftarg = text, rightarg = text);
      """
    ),
    HostileApp(
      "an aggregate of a function of PostgreSQL",
      "function_not_allowed",
      "tables/02_aggregate.sql",
      "create aggregate orchard.total (integer) (sfunc = int4pl, stype = integer);"
    ),
    HostileApp(
      "a function with its owner's rights",
      "function_not_allowed",
      "routines/trees.sql",
      """
      -- The number of trees.
      create function orchard.trees() returns bigint language sql stable security definer
      begin atomic
        select count(*) from orchard.tree;
      end;
      """
    ),
  ]
}
