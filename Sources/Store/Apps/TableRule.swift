internal import Domain
internal import Postgres

/// A rule about all objects that an app's SQL created, checked in PostgreSQL's catalogue.
///
/// The query returns one row for each violation: the object's name, and the violation in words.
struct TableRule {
  let code: ManifestDiagnostic.Code
  let query: SQL
  let hint: String

  init(_ code: ManifestDiagnostic.Code, _ query: SQL, hint: String) {
    self.code = code
    self.query = query
    self.hint = hint
  }

  /// The relations and columns of an app that the rules check.
  struct Subject {
    let schema: String
    /// The tables of the app's types, as `schema.table`.
    let recordTables: [String]
    /// The tables of the app's types whose records are numbered.
    let numberedTables: [String]
    /// The app's tables that belong to no company.
    let referenceTables: [String]
    /// The views that the app's types are read through, as `schema.view`.
    let typeViews: [String]
    /// The app's views in the schema `report`, without the schema.
    let reportViews: [String]
    /// The app's tables that had row-level security before its SQL ran.
    let secured: [String]
    /// The columns that the app's types name, by purpose.
    let named: NamedColumns

    init(_ manifest: AppManifest, secured: [String]) {
      named = NamedColumns(manifest)
      schema = manifest.schema
      recordTables = manifest.types.map(\.table)
      numberedTables = manifest.types.filter { $0.number != nil }.map(\.table)
      referenceTables = manifest.referenceTables
      typeViews = manifest.types.map(\.view)
      reportViews = manifest.reportViews
      self.secured = secured
    }
  }

  static func all(_ subject: Subject) -> [TableRule] {
    keys(subject) + numbers(subject) + records(subject) + references(subject) + views(subject)
      + behaviour(subject) + rights(subject)
  }

  /// Returns the query for the tables of the schema, with the number of their column `company_id`, null for
  /// tables without the column.
  static func tables(_ subject: Subject) -> SQL {
    """
    select c.oid, c.relname, format('%s.%s', n.nspname, c.relname) as name, a.attnum as company,
      a.attnotnull and a.atttypid = 'uuid'::regtype as is_sound
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
    where n.nspname = \(subject.schema) and c.relkind in ('r', 'p')
    """
  }

  /// Rules about keys: every row belongs to a company and refers only to rows of the same company.
  private static func keys(_ subject: Subject) -> [TableRule] {
    let tables = tables(subject)
    return [
      TableRule(
        .missingCompany,
        """
        select t.name, case when t.company is null then 'has no company_id' else 'has a company_id that is not uuid not null' end
        from (\(tables)) t
        where (t.company is null and t.name <> all (\(subject.referenceTables)) or not t.is_sound)
        """,
        hint:
          "begin the table with `like core.record_base including defaults including comments`, or list it under reference_tables"
      ),
      TableRule(
        .keyNotLed,
        """
        select t.name, 'has no primary key that begins with company_id'
        from (\(tables)) t
        where t.company is not null
          and not exists (
            select from pg_index i where i.indrelid = t.oid and i.indisprimary and i.indkey[0] = t.company)
        """,
        hint: "write `primary key (company_id, id)`"
      ),
      TableRule(
        .uniqueNotLed,
        """
        select t.name, format('has the unique index %s, which does not begin with company_id', x.relname)
        from (\(tables)) t
        join pg_index i on i.indrelid = t.oid and i.indisunique and not i.indisprimary
        join pg_class x on x.oid = i.indexrelid
        where t.company is not null and i.indkey[0] <> t.company
        """,
        hint: "put company_id first: values are unique within a company"
      ),
      TableRule(
        .foreignKeyNotComposite,
        """
        select t.name, format('has the foreign key %s of one column to %s', k.conname, k.confrelid::regclass)
        from (\(tables)) t
        join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
        join pg_attribute there on there.attrelid = k.confrelid and there.attname = 'company_id'
        where cardinality(k.conkey) < 2
        """,
        hint: "write `foreign key (company_id, x_id) references … (company_id, id)`"
      ),
      TableRule(
        .foreignKeyNotLed,
        """
        select t.name, format('has the foreign key %s, which does not begin with company_id', k.conname)
        from (\(tables)) t
        join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
        join pg_attribute there on there.attrelid = k.confrelid and there.attname = 'company_id'
        where cardinality(k.conkey) > 1 and (k.conkey[1] is distinct from t.company or k.confkey[1] <> there.attnum)
        """,
        hint: "put company_id first on both sides"
      ),
      TableRule(
        .foreignKeyActs,
        """
        select t.name, format('has the foreign key %s, which acts by itself or waits for the commit', k.conname)
        from (\(tables)) t
        join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
        where k.confdeltype <> 'a' or k.confupdtype <> 'a' or k.condeferrable
        """,
        hint: "leave out `on delete`, `on update` and `deferrable`; declare on_delete in the manifest"
      ),
      TableRule(
        .foreignKeyWithoutIndex,
        """
        select t.name, format('has no index that begins with the columns of the foreign key %s', k.conname)
        from (\(tables)) t
        join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
        where not exists (
          select from pg_index i
          where i.indrelid = t.oid
            and (i.indkey::smallint[])[0:cardinality(k.conkey) - 1] @> k.conkey
            and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$')
        )
        """,
        hint: "create an index on those columns, company_id first"
      ),
    ]
  }

  /// Rules about the columns of views, their invoker rights, and secrets.
  private static func views(_ subject: Subject) -> [TableRule] {
    let views: SQL = """
      select c.oid, format('%s.%s', n.nspname, c.relname) as name, n.nspname = 'report' as is_report, c.reloptions
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'v'
        and (n.nspname = \(subject.schema) or n.nspname = 'report' and c.relname = any (\(subject.reportViews)))
      """
    let reads: SQL = """
      select distinct v.oid, v.name, v.is_report, t.oid as relation, t.relkind, t.relnamespace, d.refobjsubid as number
      from (\(views)) v
      join pg_rewrite w on w.ev_class = v.oid
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
        and d.refclassid = 'pg_class'::regclass and d.refobjid <> v.oid
      join pg_class t on t.oid = d.refobjid
      """
    return [
      TableRule(
        .viewNotInvoker,
        """
        select v.name, 'does not run as its caller'
        from (\(views)) v
        where 'security_invoker=true' <> all (coalesce(v.reloptions, '{}'))
        """,
        hint: "write `create view … with (security_invoker = true) as`"
      ),
      TableRule(
        .viewWithoutColumn,
        """
        select v.name, 'has no column company_id'
        from (\(views)) v
        where v.is_report
          and not exists (select from pg_attribute a where a.attrelid = v.oid and a.attname = 'company_id')
        """,
        hint: "select company_id from the table"
      ),
      TableRule(
        .viewReadsSecret,
        """
        select r.name, format('reads %s.%s, which the server may not', r.relation::regclass, a.attname)
        from (\(reads)) r
        join pg_attribute a on a.attrelid = r.relation and a.attnum = r.number
        where r.number > 0
          and r.relnamespace <> (select n.oid from pg_namespace n where n.nspname = \(subject.schema))
          and not has_column_privilege('fettle_app', r.relation, r.number::smallint, 'SELECT')
        """,
        hint: "leave the column out"
      ),
      TableRule(
        .reportReadsView,
        """
        select distinct r.name, format('reads %s, which is not a table', r.relation::regclass)
        from (\(reads)) r
        where r.is_report and r.relkind not in ('r', 'p')
        """,
        hint: "read the tables directly: the reporting logins get rights on each column that is read"
      ),
    ]
  }

  /// The functions of embedded apps whose body PostgreSQL parses only when it runs, as `schema.name`.
  private static let procedural: [String] = []

  /// Rules about functions, triggers and relations that would bypass row-level security or write on their
  /// own.
  private static func behaviour(_ subject: Subject) -> [TableRule] {
    [
      TableRule(
        .relationNotAllowed,
        """
        select format('%s.%s', n.nspname, c.relname),
          format('is a %s', case c.relkind when 'm' then 'materialised view' when 'f' then 'foreign table' else 'sequence' end)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = \(subject.schema) and c.relkind in ('m', 'f', 'S')
        """,
        hint: "use a table or a view, and ids instead of a sequence: it would bypass row-level security"
      ),
      TableRule(
        .functionNotAllowed,
        """
        select format('%s.%s', n.nspname, p.proname),
          case
            when p.prosecdef then 'runs with its owner''s rights'
            when p.proleakproof then 'claims to be leakproof'
            when p.provolatile = 'v' then 'is volatile, so it could write'
            else 'has a body that PostgreSQL parses only when it runs'
          end
        from pg_proc p
        join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = \(subject.schema)
          and (
            p.prosecdef or p.proleakproof or p.provolatile = 'v'
            or p.prosqlbody is null and format('%s.%s', n.nspname, p.proname) <> all (\(procedural))
          )
        """,
        hint: "write `language sql stable begin atomic … end`, without security definer or leakproof"
      ),
      TableRule(
        .triggerNotAllowed,
        """
        select format('%s.%s', n.nspname, c.relname), format('has the trigger %s', t.tgname)
        from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = \(subject.schema)
          and not t.tgisinternal
          and not (t.tgname = 'guard' and t.tgfoid = 'core.guard_record()'::regprocedure and t.tgenabled = 'O')
        union all
        select format('%s.%s', n.nspname, c.relname), format('has the rule %s', w.rulename)
        from pg_rewrite w join pg_class c on c.oid = w.ev_class join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = \(subject.schema) and w.rulename <> '_RETURN'
        """,
        hint: "use a check, a generated column, or a hook of the manifest; the guard is attached for you"
      ),
    ]
  }

  /// Rules about privileges and policies. The installer grants the necessary ones.
  private static func rights(_ subject: Subject) -> [TableRule] {
    [
      TableRule(
        .rowSecurityDisabled,
        """
        select t.name, 'had its row-level security switched off'
        from (\(tables(subject))) t
        join pg_class c on c.oid = t.oid
        where t.name = any (\(subject.secured)) and not (c.relrowsecurity and c.relforcerowsecurity)
        """,
        hint: "do not change row-level security; the installer enables it"
      ),
      TableRule(
        .policyNotAllowed,
        """
        select t.name, format('has the policy %s', p.polname)
        from (\(tables(subject))) t
        join pg_policy p on p.polrelid = t.oid
        where not (
          t.company is not null and (
            p.polname in ('tenant', 'owner_private')
            or p.polname = 'claims' and p.polroles = array['fettle_auth'::regrole::oid]
              and exists (select from pg_policy o where o.polrelid = t.oid and o.polname = 'owner_private')
            or p.polname = 'eraser' and p.polroles = array['fettle_eraser'::regrole::oid]
            or p.polname = 'report' and p.polroles = array['fettle_report'::regrole::oid]
            or p.polname = 'report_company' and p.polroles = array['fettle_report_company'::regrole::oid]
          )
        )
        """,
        hint: "leave policies to the installer; scope: owner makes a type private"
      ),
      TableRule(
        .grantNotAllowed,
        """
        with app as (
          select r.oid from pg_roles r where r.rolname in ('fettle_app', 'fettle_worker', 'fettle_admin')
        ),
        reporter as (
          select r.oid from pg_roles r where r.rolname in ('fettle_report', 'fettle_report_company')
        ),
        door as (
          select r.oid from pg_roles r where r.rolname = 'fettle_auth'
        ),
        author as (
          select r.oid from pg_roles r where r.rolname = 'fettle_author'
        ),
        given as (
          select format('%s.%s', n.nspname, c.relname) as name, x.grantee, x.privilege_type, x.is_grantable,
            c.relowner as owner,
            x.grantee in (select oid from app) and (
              x.privilege_type = 'SELECT'
              or c.relkind in ('r', 'p') and (
                x.privilege_type = 'INSERT'
                or x.privilege_type in ('UPDATE', 'DELETE')
                  and format('%s.%s', n.nspname, c.relname) <> all (\(subject.recordTables))
              ) and format('%s.%s', n.nspname, c.relname) <> all (\(subject.referenceTables))
            )
            or x.grantee = 'fettle_eraser'::regrole::oid and x.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
            or x.grantee in (select oid from author) and x.privilege_type = 'REFERENCES'
              and format('%s.%s', n.nspname, c.relname) = any (\(subject.recordTables))
            or x.grantee in (select oid from reporter) and x.privilege_type = 'SELECT' and n.nspname = 'report' as is_fine
          from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
          cross join lateral aclexplode(c.relacl) x
          where n.nspname = \(subject.schema) or n.nspname = 'report' and c.relname = any (\(subject.reportViews))
          union all
          select format('%s.%s.%s', n.nspname, c.relname, a.attname), x.grantee, x.privilege_type, x.is_grantable,
            c.relowner, x.grantee in (select oid from reporter) and x.privilege_type = 'SELECT'
              or x.grantee in (select oid from app)
                and x.privilege_type = 'UPDATE'
                and format('%s.%s', n.nspname, c.relname) = any (\(subject.recordTables))
                and a.attname not in ('company_id', 'id', 'created_at', 'created_by')
              or x.grantee in (select oid from door)
                and format('%s.%s', n.nspname, c.relname) = any (\(subject.recordTables))
                and (
                  x.privilege_type = 'SELECT' and a.attname in ('company_id', 'id', 'version', 'created_by')
                  or x.privilege_type = 'UPDATE' and a.attname in (
                    'created_by', 'version', 'updated_by', 'updated_at', 'history_seq', 'history_hash')
                )
          from pg_attribute a
          join pg_class c on c.oid = a.attrelid
          join pg_namespace n on n.oid = c.relnamespace
          cross join lateral aclexplode(a.attacl) x
          where n.nspname = \(subject.schema)
          union all
          select n.nspname::text, x.grantee, x.privilege_type, x.is_grantable, n.nspowner,
            (x.grantee in (select oid from app union select oid from door union select oid from author)
                or x.grantee = 'fettle_eraser'::regrole::oid)
              and x.privilege_type = 'USAGE'
          from pg_namespace n
          cross join lateral aclexplode(n.nspacl) x
          where n.nspname = \(subject.schema)
          union all
          select format('%s.%s', n.nspname, p.proname), x.grantee, x.privilege_type, x.is_grantable, p.proowner,
            x.grantee in (select oid from app union select oid from reporter)
          from pg_proc p
          join pg_namespace n on n.oid = p.pronamespace
          cross join lateral aclexplode(p.proacl) x
          where n.nspname = \(subject.schema)
        )
        select g.name, format('gives %s to %s', g.privilege_type,
          case when g.grantee = 0 then 'everybody' else g.grantee::regrole::text end)
        from given g
        where g.grantee <> g.owner and (not g.is_fine or g.is_grantable)
        union all
        select format('%s.%s', n.nspname, c.relname), format('belongs to %s', c.relowner::regrole)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = \(subject.schema) and c.relowner <> 'fettle_owner'::regrole
        """,
        hint:
          "leave grants to the installer; a reference table may give SELECT to fettle_app, fettle_worker, fettle_admin"
      ),
    ]
  }
}
