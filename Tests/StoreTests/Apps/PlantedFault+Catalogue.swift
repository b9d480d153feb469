/// Mistakes to plant into the example. First line: name, code and place. Second line: the file, and the text
/// to replace; without a text, the mistake is appended. Third line: the replacement. `¶` is a line break.
extension PlantedFault {
  /// In the manifest and the workflow.
  static let manifest = read(
    """
    missing column: missing_column at types.orchard.tree.editable
      orchard.app.yaml has variety, planted_on]
      variety, plantd_on]
    unsaid column: unsaid_column at types.orchard.harvest
      orchard.app.yaml has [picked_on, kilograms]¶    fixed
      [picked_on]¶    fixed
    a name of nobody: unmarked_personal at types.orchard.tree
      tables/01_trees.sql has variety         text not null
      author_name text,¶  variety         text not null
    missing view: missing_relation at types.orchard.tree
      orchard.app.yaml has orchard.v_tree
      orchard.v_trees
    missing report: missing_relation at reports.other.view
      orchard.app.yaml has reports:
      reports:¶  - { name: other, title: Other, view: report.v1_other }
    report without version: invalid_report at reports.yield.view
      orchard.app.yaml has report.v1_yield
      report.yield
    report ordered by nothing: missing_column at reports.yield.order
      orchard.app.yaml has -kilograms
      -kilos
    number of a private type: private_number at types.orchard.harvest.number
      orchard.app.yaml has title_field: picked_on
      title_field: picked_on¶    scope: owner
    unknown permission: unknown_permission at fell.permission
      tree.workflow.yaml has orchard.tree.fell
      orchard.harvest.fell
    unknown verb: unknown_permission at grants.user
      orchard.app.yaml has update.own, bear
      update.own, baer
    unknown template: unknown_template at remind.effects[0]
      tree.workflow.yaml has check_tree
      check_trea
    unknown job: unknown_job at fell.effects[0]
      tree.workflow.yaml has require: { comment: { min: 3 } }
      effects: [{ job: { kind: orchard.weep } }]
    unknown message: unknown_message at bear.guards[0]
      tree.workflow.yaml has nothing_picked
      nothing_pickd
    unreachable state: unreachable_state at states.lost
      tree.workflow.yaml has transitions:
        lost: { label: Lost, category: done, final: true }¶transitions:
    dead end: dead_end at states.felled
      tree.workflow.yaml has color: grey, final: true
      color: grey
    competing system transitions: competing_transitions at states.growing.after[1]
      tree.workflow.yaml has max: 3 }]
      max: 3 }, { delay: P365D, fire: remind }]
    timer from the wrong state: timer_fires_elsewhere at states.bearing.after[0]
      tree.workflow.yaml has color: green }
      color: green, after: [{ delay: P1D, fire: remind }] }
    guard naming no column: unknown_field at bear.guards[0]
      tree.workflow.yaml has $.harvests > 0
      !($.harvest > 3)
    guard without a column: guard_without_field at bear.guards[0]
      tree.workflow.yaml has $.harvests > 0
      1 == 1
    catastrophic guard: guard_over_budget at bear.guards[0]
      tree.workflow.yaml has $.harvests > 0
      exists($.** ? (@.harvests > 0))
    nested guard: guard_over_budget at bear.guards[0]
      tree.workflow.yaml has $.harvests > 0
      exists($ ? (exists(@ ? (exists(@ ? (@.harvests > 0))))))
    guard that does not parse: guard_unparsable at bear.guards[0]
      tree.workflow.yaml has $.harvests > 0
      $.harvests >
    guard that is no predicate: guard_no_predicate at bear.guards[0]
      tree.workflow.yaml has $.harvests > 0
      $.harvests + 1
    unknown state: unknown_state at fell.to
      tree.workflow.yaml has to: felled
      to: feled
    reference to nothing: unknown_type at references.tree_id
      orchard.app.yaml has to: orchard.tree,
      to: orchard.shrub,
    hook firing for people: transition_of_people at hooks[0].fire
      orchard.app.yaml has     fixed: [code]
          hooks: [{ on: create, fire: bear }]¶    fixed: [code]
    hook firing nothing: unknown_transition at hooks[0].fire
      orchard.app.yaml has     fixed: [code]
          hooks: [{ on: create, fire: bare }]¶    fixed: [code]
    hook over no column: unknown_field at hooks[0].when
      orchard.app.yaml has     fixed: [code]
          hooks: [{ on: create, when: '$.colour == 1', fire: remind }]¶    fixed: [code]
    schedule of no job: unknown_job at schedules[0].job
      orchard.app.yaml has reports:
      schedules: [{ job: orchard.prune, cron: '0 5 * * *' }]¶reports:
    schedule never: invalid_cron at schedules[0].cron
      orchard.app.yaml has reports:
      jobs: [orchard.prune]¶schedules: [{ job: orchard.prune, cron: 'daily' }]¶reports:
    schedule nowhere: invalid_zone at schedules[0].zone
      orchard.app.yaml has reports:
      jobs: [orchard.prune]¶schedules: [{ job: orchard.prune, cron: '0 5 * * *', zone: Europe/Atlantis }]¶reports:
    notice of no column: missing_column at templates.check_tree
      orchard.app.yaml has {variety} bears
      {varity} bears
    limit of no column: invalid_limit at types.orchard.tree.limits.colour
      orchard.app.yaml has     fixed: [code]
          limits: { colour: 10 }¶    fixed: [code]
    limit of a number: invalid_limit at tables.orchard.harvest
      orchard.app.yaml has     fixed: [tree_id]
          limits: { kilograms: 10 }¶    fixed: [tree_id]
    noun that is no word: invalid_noun at types.orchard.harvest.command
      orchard.app.yaml has command: harvest
      command: Har vest
    noun of a built-in command: noun_taken at types.orchard.harvest.command
      orchard.app.yaml has command: harvest
      command: export
    noun of another type: noun_taken at types.orchard.harvest.command
      orchard.app.yaml has command: harvest
      command: tree
    noun of another app: noun_taken at types.orchard.harvest.command
      orchard.app.yaml has command: harvest
      command: entry
    noun listing no column: missing_column at types.orchard.tree.command.columns
      orchard.app.yaml has columns: [code, variety, status, kilograms]
      columns: [code, variety, status, kilogram]
    noun sorted by no column: invalid_noun at types.orchard.tree.command.sort
      orchard.app.yaml has sort: code
      sort: coed
    noun with an argument of no column: not_editable at types.orchard.tree.command.arguments
      orchard.app.yaml has arguments: [code, variety]
      arguments: [code, variaty]
    noun with a flag of every noun: noun_taken at types.orchard.tree.command.flags.status
      orchard.app.yaml has examples: { show: T-1 }
      flags: { status: variety }
    noun with an example of no verb: invalid_noun at types.orchard.tree.command.examples.shw
      orchard.app.yaml has examples: { show: T-1 }
      examples: { shw: T-1 }
    final state with a way out: final_state_left at transitions.bear.from
      tree.workflow.yaml has from: [growing]¶    to: bearing
      from: [growing, felled]¶    to: bearing
    state in another column: invalid_name at state_field
      tree.workflow.yaml has state_field: status
      state_field: phase
    reference to another type than the key: foreign_key_elsewhere at tables.orchard.harvest
      orchard.app.yaml has to: orchard.tree,
      to: orchard.harvest,
    key that no reference names: undeclared_reference at tables.orchard.harvest
      orchard.app.yaml has     references:¶      tree_id: { to: orchard.tree, on_delete: cascade }
          search: []
    the engine's schema: schema_taken at schema
      orchard.app.yaml has version: 1
      version: 1¶schema: core
    table elsewhere: outside_schema at types.orchard.harvest.table
      orchard.app.yaml has table: orchard.harvest
      table: maintenance.meter
    """
  )

  /// In objects that the SQL creates.
  static let tables = read(
    """
    table without company_id: missing_company_id at tables.orchard.box
      tables/01_trees.sql ends with
      create table orchard.box (id uuid primary key)
    record without a base column: missing_base_column at tables.orchard.harvest
      tables/01_trees.sql ends with
      alter table orchard.harvest drop column origin_device
    number without its counter: missing_number at tables.orchard.harvest
      tables/01_trees.sql has number_seq bigint,
      number_seq integer,
    number that is not unique: missing_number at tables.orchard.harvest
      tables/01_trees.sql has create unique index harvest_number
      create index harvest_number
    record with another default: base_column_differs at tables.orchard.harvest
      tables/01_trees.sql ends with
      alter table orchard.harvest alter column version drop default
    record that may lack its maker's time: base_column_differs at tables.orchard.harvest
      tables/01_trees.sql ends with
      alter table orchard.harvest alter column created_at drop not null
    record with another key: key_not_id at tables.orchard.harvest
      tables/01_trees.sql ends with
      alter table orchard.harvest drop constraint harvest_pkey, add primary key (company_id, id, version)
    status that may be missing: missing_status at tables.orchard.tree
      tables/01_trees.sql ends with
      alter table orchard.tree alter column status_category drop not null
    status without a workflow: missing_status at tables.orchard.harvest
      tables/01_trees.sql ends with
      alter table orchard.harvest add column status_category text
    status that a check refuses: status_refused at workflows.orchard.tree.states.felled
      tables/01_trees.sql has ('open', 'active', 'done')
      ('open', 'active')
    column that nothing sets: column_never_set at tables.orchard.tree
      tables/01_trees.sql ends with
      alter table orchard.tree add column height integer not null
    table without a comment: uncommented at tables.orchard.tree
      tables/01_trees.sql has comment on table  orchard.tree is
      comment on column orchard.tree.id is
    reference without a foreign key: missing_foreign_key at tables.orchard.harvest
      tables/01_trees.sql has ,¶  foreign key (company_id, tree_id) references orchard.tree (company_id, id)
        -- none
    view without the time of creation: view_without_column at tables.orchard.v_tree
      views/v_tree.sql has t.created_by, t.created_at,
      t.created_by,
    view without a column that people write: view_without_column at tables.orchard.v_tree
      views/v_tree.sql has t.code, t.variety, t.planted_on,
      t.code, t.variety,
    view with a column of another type: view_column_differs at tables.orchard.v_tree
      views/v_tree.sql has t.code,
      t.code::varchar as code,
    computed column that people are to write: statement_fails at types.orchard.harvest
      tables/01_trees.sql has numeric(8,2) not null
      numeric(8,2) not null generated always as (1) stored
    primary key not led by company: key_not_led_by_company at tables.orchard.box
      tables/01_trees.sql ends with
      create table orchard.box (company_id uuid not null, id uuid primary key)
    unique key not led by company: unique_not_led_by_company at tables.orchard.tree
      tables/01_trees.sql has (company_id, code_key)
      (code_key)
    foreign key to a table that is not for apps: changes_others at tables/01_trees.sql:
      tables/01_trees.sql ends with
      create table orchard.box (company_id uuid not null, id uuid not null, tree_id uuid references core.api_token (id), primary key (company_id, id)); create index on orchard.box (tree_id)
    foreign key not led by company: foreign_key_not_led_by_company at tables.orchard.harvest
      tables/01_trees.sql has (company_id, tree_id) references orchard.tree (company_id, id)
      (tree_id, company_id) references orchard.tree (id, company_id)
    foreign key that acts: foreign_key_acts at tables.orchard.harvest
      tables/01_trees.sql has references orchard.tree (company_id, id)
      references orchard.tree (company_id, id) on delete cascade
    foreign key without an index: foreign_key_without_index at tables.orchard.harvest
      tables/01_trees.sql has create index on orchard.harvest (company_id, tree_id);
      -- no index
    view as its owner: view_not_invoker at tables.orchard.v_tree
      views/v_tree.sql has  with (security_invoker = true)
       /* as its owner */
    view without version: view_without_column at tables.orchard.v_tree
      views/v_tree.sql has t.id, t.version,
      t.id,
    view of secrets: reads_others at tables.orchard.v_token
      views/v_token.sql ends with
      -- Tokens.¶create view orchard.v_token with (security_invoker = true) as select company_id, id, secret_hash from core.api_token
    materialised view: relation_not_allowed at tables.orchard.m
      tables/01_trees.sql ends with
      create materialized view orchard.m as select 1 as one
    function that may write: function_not_allowed at tables.orchard.f
      tables/01_trees.sql ends with
      create function orchard.f() returns int language sql return 1
    trigger: trigger_not_allowed at tables.orchard.tree
      tables/01_trees.sql ends with
      create trigger t before update on orchard.tree for each row execute function suppress_redundant_updates_trigger()
    policy that opens a table: policy_not_allowed at tables.orchard.tree
      tables/01_trees.sql ends with
      create policy all_of_it on orchard.tree to fettle_app using (true)
    grant to others: grant_not_allowed at tables.orchard.tree
      tables/01_trees.sql ends with
      grant select on orchard.tree to fettle_report
    grant to everybody: grant_not_allowed at tables.orchard
      tables/01_trees.sql ends with
      grant usage on schema orchard to public
    right to delete records: grant_not_allowed at tables.orchard.tree
      tables/01_trees.sql ends with
      grant delete on orchard.tree to fettle_app
    """
  )

  /// In effects of the SQL.
  static let sql = read(
    """
    SQL that makes a table in core: changes_others at sql
      tables/01_trees.sql ends with
      create table core.extra (id uuid primary key)
    SQL that alters core: changes_others at sql
      tables/01_trees.sql ends with
      alter table core.company add column extra text
    SQL that drops a policy of core: changes_others at sql
      tables/01_trees.sql ends with
      drop policy tenant on core.role
    SQL that opens core: changes_others at sql
      tables/01_trees.sql ends with
      grant select on core.role to fettle_report
    SQL that comments core: changes_others at sql
      tables/01_trees.sql ends with
      comment on table core.company is 'mine'
    SQL that changes a function of core: changes_others at sql
      tables/01_trees.sql ends with
      create or replace function core.current_company() returns uuid language sql stable return null::uuid
    SQL that disables row-level security of another app: changes_others at sql
      tables/01_trees.sql ends with
      alter table maintenance.machine disable row level security
    SQL that inherits from another app: changes_others at sql
      tables/01_trees.sql ends with
      create table orchard.box () inherits (maintenance.base_category_template)
    report that is not declared: changes_others at sql.report.v1_other
      tables/01_trees.sql ends with
      create view report.v1_other with (security_invoker = true) as select 1 as one
    SQL that makes a role: changes_others at tables/01_trees.sql:
      tables/01_trees.sql ends with
      create role orchard_keeper
    SQL that makes a schema more: changes_others at sql
      tables/01_trees.sql ends with
      create schema orchard_two
    SQL that writes core: writes_rows at tables/01_trees.sql:
      tables/01_trees.sql ends with
      insert into core.permission (name, app, description) values ('orchard.god', 'orchard', 'all')
    SQL that writes core behind a CTE: statement_not_allowed at tables/01_trees.sql:
      tables/01_trees.sql ends with
      with x as (delete from core.builtin_grant returning 1) select count(*) from x
    SQL that writes core in a block: statement_not_allowed at tables/01_trees.sql:
      tables/01_trees.sql ends with
      do $$ begin insert into core.builtin_grant (role, permission) values ('viewer', 'role.create'); exception when others then null; end $$
    SQL that writes companies: writes_rows at tables/01_trees.sql:
      tables/01_trees.sql ends with
      update core.company set name = 'mine'
    SQL that writes another app: writes_rows at tables/01_trees.sql:
      tables/01_trees.sql ends with
      insert into maintenance.base_category_template (name) values ('Fruit')
    SQL with COMMIT: transaction_control at tables/01_trees.sql:
      tables/01_trees.sql ends with
      /* well */ commit
    SQL with ROLLBACK: transaction_control at tables/01_trees.sql:
      tables/01_trees.sql ends with
      Rollback
    SQL with SAVEPOINT: transaction_control at tables/01_trees.sql:
      tables/01_trees.sql ends with
      savepoint a
    SQL with SET ROLE: session_setting at tables/01_trees.sql:
      tables/01_trees.sql ends with
      set role fettle_admin
    SQL with RESET: session_setting at tables/01_trees.sql:
      tables/01_trees.sql ends with
      reset all
    SQL that changes its role in a block: statement_not_allowed at tables/01_trees.sql:
      tables/01_trees.sql ends with
      do $$ begin perform set_config('role', 'none', true); end $$
    SQL that changes a setting in a query: statement_not_allowed at tables/01_trees.sql:
      tables/01_trees.sql ends with
      select set_config('fettle.write', 'engine', true)
    SQL that changes a setting in a definition: session_setting at tables/01_trees.sql:
      tables/01_trees.sql ends with
      create table orchard.p (company_id uuid, t text) partition by list (t); create table orchard.p1 partition of orchard.p for values in (set_config('fettle.write', 'engine', true))
    SQL with COPY: statement_not_allowed at tables/01_trees.sql:
      tables/01_trees.sql ends with
      copy orchard.tree from program 'id'
    view of another name than its file: statement_not_allowed at views/v_tree.sql:1
      views/v_tree.sql has create view orchard.v_tree
      create view orchard.v_trees
    second view in a file: statement_not_allowed at views/v_tree.sql:
      views/v_tree.sql ends with
      create view orchard.v_other as select 1 as one
    view without a description: statement_not_allowed at views/v_tree.sql:1
      views/v_tree.sql has -- Trees with the number and the weight of their harvests.¶
      /* nothing */
    function of another owner: grant_not_allowed at routines/f.sql
      routines/f.sql ends with
      -- One.¶--¶-- owner: fettle_auth¶create function orchard.f() returns integer language sql stable return 1
    SQL with TRUNCATE: statement_not_allowed at tables/01_trees.sql:
      tables/01_trees.sql ends with
      truncate core.job
    migration outside a transaction: transaction_control at tables/01_trees.sql
      tables/01_trees.sql has -- Fruit trees and
      -- no transaction¶-- Fruit trees and
    """
  )
}
