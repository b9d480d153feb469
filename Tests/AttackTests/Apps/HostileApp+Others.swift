extension HostileApp {
  /// Objects that read what the members of a company may not.
  static let readers = [
    HostileApp(
      "a view of the history of private records",
      "reads_others",
      "views/v_past.sql",
      """
      -- Changes.
      create view orchard.v_past with (security_invoker = true) as
      select h.company_id, h.record_id, h.changes from core.history h;
      """
    ),
    HostileApp(
      "a view of the whole row of a company",
      "reads_others",
      "views/v_company.sql",
      """
      -- Companies.
      create view orchard.v_company with (security_invoker = true) as
      select c.id as company_id, to_jsonb(c) as company from core.company c;
      """
    ),
    HostileApp(
      "a view of the server's activity",
      "reads_others",
      "views/v_activity.sql",
      """
      -- Activity.
      create view orchard.v_activity with (security_invoker = true) as
      select a.query from pg_catalog.pg_stat_activity a;
      """
    ),
    HostileApp(
      "a view of another app's records",
      "reads_others",
      "views/v_machine.sql",
      """
      -- Machines.
      create view orchard.v_machine with (security_invoker = true) as
      select m.company_id, m.name from maintenance.machine m;
      """
    ),
    HostileApp(
      "a function that reads another app's records",
      "reads_others",
      "routines/machines.sql",
      """
      -- The number of machines.
      create function orchard.machines() returns bigint language sql stable
      begin atomic
        select count(*) from maintenance.machine;
      end;
      """
    ),
    HostileApp(
      "a report of the addresses of all users",
      "reads_others",
      "reports/v1_yield.sql",
      """
      -- Addresses.
      create view report.v1_yield with (security_invoker = true) as
      select m.company_id, u.email
      from core.membership m
      join core.app_user u on u.id = m.user_id;
      """
    ),
    HostileApp(
      "a table with the columns of the tokens",
      "changes_others",
      "tables/02_like.sql",
      "create table orchard.token (like core.api_token);"
    ),
    HostileApp(
      "a table that inherits from records of another app",
      "changes_others",
      "tables/02_inherits.sql",
      "create table orchard.machine () inherits (maintenance.machine);"
    ),
  ]

  /// Objects that hold up the engine or another app, or open the app's own tables.
  static let others = [
    HostileApp(
      "a foreign key that holds up the removal of old history",
      "changes_others",
      "tables/02_key.sql",
      """
      create table orchard.mark (
        company_id uuid, id uuid, record_type text, record_id uuid, seq bigint,
        foreign key (company_id, record_type, record_id, seq)
          references core.history (company_id, record_type, record_id, seq));
      """
    ),
    HostileApp(
      "a reference that the manifest does not tell",
      "undeclared_reference",
      "tables/02_key.sql",
      """
      alter table orchard.tree add column machine_id uuid,
        add foreign key (company_id, machine_id) references maintenance.machine (company_id, id);
      create index on orchard.tree (company_id, machine_id);
      """
    ),
    HostileApp(
      "the removal of another app",
      "changes_others",
      "tables/02_drop.sql",
      "drop schema maintenance cascade;"
    ),
    HostileApp(
      "a policy with the name of the installer's",
      "policy_not_allowed",
      "tables/02_policy.sql",
      "create policy owner_private on orchard.tree to fettle_app using (true);"
    ),
    HostileApp(
      "a view with its owner's rights",
      "view_not_invoker",
      "views/v_all.sql",
      """
      -- All trees.
      create view orchard.v_all as select t.company_id, t.code from orchard.tree t;
      """
    ),
    HostileApp(
      "a file whose name is a statement",
      "statement_not_allowed",
      "reports/\"v1_x', ''), set_config('role', 'none', true), ('\".sql",
      """
      -- Nothing.
      -- columns: company_id uuid
      create view report."v1_x', ''), set_config('role', 'none', true), ('" with (security_invoker = true) as
      select t.company_id from orchard.tree t;
      """
    ),
    HostileApp(
      "an upgrade that lifts FORCE under a quoted name",
      "changes_others",
      "changes/0001_open.sql",
      "alter table \"orchard\".\"tree\" no force row level security;",
      isUpgrade: true
    ),
    HostileApp(
      "an upgrade that replaces a policy",
      "policy_not_allowed",
      "changes/0001_open.sql",
      "alter policy tenant on orchard.tree using (true);",
      isUpgrade: true
    ),
  ]
}
