internal import Domain
internal import Postgres

/// Rules about the objects that the SQL of an app created as `fettle_author`, checked before anything runs
/// them with other rights.
///
/// They read PostgreSQL's own parse: the trees of views, function bodies, defaults, generated columns, checks,
/// indexes and triggers. A tree names each function by its number, also a built-in one, for which there is no
/// row in `pg_depend`.
enum AuthorRule {
  /// The app whose objects are checked.
  struct Subject {
    let schema: String
    /// The app's views in the schema `report`, without the schema.
    let reportViews: [String]
    /// The types of other apps that the app's types refer to.
    let targets: [String]
    /// The columns of the schema core that the app may read.
    let columns: [String]
    /// The types of other apps whose shown columns the app may read.
    let reads: [String]

    /// - Parameter reads: the columns of the schema core that the app may read.
    init(_ manifest: AppManifest, reads: [String]) {
      schema = manifest.schema
      reportViews = manifest.reportViews
      targets = manifest.types.flatMap { $0.references.map(\.target) }
      let isNamingPeople = manifest.reads.contains(AppManifest.people)
      columns = reads + (isNamingPeople ? AuthorRule.columnsOfPeople : [])
      self.reads = manifest.reads.filter { $0 != AppManifest.people }
    }
  }

  static func all(_ subject: Subject) -> [TableRule] {
    [objects(subject), functions(subject), bodies(subject), calls(subject), reads(subject)]
  }

  /// The built-in functions that apps may call although their result depends on more than their arguments.
  /// All immutable ones are allowed, because these neither read nor write anything.
  static let unstable = [
    // Time: the clock, and conversions that depend on the time zone or on DateStyle.
    "now", "transaction_timestamp", "statement_timestamp", "age", "date", "date_part", "date_trunc",
    "extract", "generate_series", "in_range", "interval_pl_timestamptz", "make_timestamptz", "overlaps",
    "time", "timestamp", "timestamptz", "timestamptz_mi_interval", "timestamptz_pl_interval", "timetz",
    "timezone", "to_char", "to_date", "to_timestamp", "date_cmp_timestamptz", "date_eq_timestamptz",
    "date_ge_timestamptz", "date_gt_timestamptz", "date_le_timestamptz", "date_lt_timestamptz",
    "date_ne_timestamptz", "timestamp_cmp_timestamptz", "timestamp_eq_timestamptz",
    "timestamp_ge_timestamptz", "timestamp_gt_timestamptz", "timestamp_le_timestamptz",
    "timestamp_lt_timestamptz", "timestamp_ne_timestamptz", "timestamptz_cmp_date",
    "timestamptz_eq_date", "timestamptz_ge_date", "timestamptz_gt_date", "timestamptz_le_date",
    "timestamptz_lt_date", "timestamptz_ne_date", "timestamptz_cmp_timestamp",
    "timestamptz_eq_timestamp", "timestamptz_ge_timestamp", "timestamptz_gt_timestamp",
    "timestamptz_le_timestamp", "timestamptz_lt_timestamp", "timestamptz_ne_timestamp",
    // Text and JSON.
    "anytextcat", "array_to_json", "array_to_string", "concat", "concat_ws", "format", "json_agg",
    "json_build_array", "json_build_object", "json_object_agg", "jsonb_agg", "jsonb_build_array",
    "jsonb_build_object", "jsonb_object_agg", "quote_literal", "quote_nullable", "row_to_json",
    "textanycat", "to_json", "to_jsonb", "to_number",
    // Ids of new rows.
    "gen_random_uuid",
  ]

  /// The functions of the schema core that apps may call.
  static let coreFunctions = ["known_zone"]

  /// The columns of the schema core that an app's views and functions may read.
  static let columns = [
    "core.company.id", "core.company.name", "core.company.slug", "core.company.timezone",
    "core.membership.company_id", "core.membership.user_id",
  ]

  /// The columns of people that an app with `core.person` under `reads` may read: their names, and nothing by which they
  /// sign in or are reached.
  static let columnsOfPeople = ["core.app_user.id", "core.app_user.name", "core.membership.status"]

  /// The further columns that the apps of this binary read.
  static let columnsOfOurs = [
    "core.history.comment", "core.history.company_id", "core.history.from_status", "core.history.occurred_at",
    "core.history.record_id", "core.history.record_type", "core.history.seq", "core.history.to_status",
    "core.membership.status",
  ]

  /// Only tables, indexes, views and functions, with the types of their rows.
  private static func objects(_ subject: Subject) -> TableRule {
    TableRule(
      .relationNotAllowed,
      """
      select pg_describe_object(d.classid, d.objid, 0), 'is not a table, index, view or function'
      from pg_depend d
      where d.refclassid = 'pg_namespace'::regclass and d.refobjid = to_regnamespace(quote_ident(\(subject.schema)))
        and d.classid not in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_type'::regclass)
      union all
      select format('%s.%s', n.nspname, c.relname), 'is not a table, index, view or function'
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = \(subject.schema) and c.relkind not in ('r', 'p', 'v', 'i', 'I')
      union all
      select format('%s.%s', n.nspname, t.typname), 'is a type that no table or view has'
      from pg_type t
      join pg_namespace n on n.oid = t.typnamespace
      left join pg_class c on c.oid = t.typrelid
      where n.nspname = \(subject.schema)
        and not (t.typtype = 'c' and c.relkind in ('r', 'p', 'v'))
        and not (t.typtype = 'b' and t.typcategory = 'A')
      """,
      hint: "create only tables, indexes, views and functions; use text with a check instead of a type"
    )
  }

  /// Functions that PostgreSQL parsed when they were created, and that change no setting.
  private static func functions(_ subject: Subject) -> TableRule {
    TableRule(
      .functionNotAllowed,
      """
      select format('%s.%s', n.nspname, p.proname),
        case
          when p.prokind <> 'f' then 'is not a plain function'
          when p.prosqlbody is null then 'has a body that PostgreSQL parses only when it runs'
          else 'changes settings while it runs'
        end
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = \(subject.schema)
        and (p.prokind <> 'f' or p.prosqlbody is null or p.proconfig is not null)
      """,
      hint: "write `language sql stable begin atomic … end`, without settings"
    )
  }

  /// Views and functions that only read.
  private static func bodies(_ subject: Subject) -> TableRule {
    TableRule(
      .functionNotAllowed,
      """
      with \(trees(subject))
      select distinct t.object, 'writes rows'
      from tree t
      where t.body ~ ':commandType [^1]'
      """,
      hint: "write rows by transitions, effects and hooks of the manifest"
    )
  }

  /// Calls of functions of PostgreSQL that are harmless, and of the app's own functions.
  static func calls(_ subject: Subject) -> TableRule {
    TableRule(
      .functionNotAllowed,
      """
      with \(trees(subject)),
      called as (
        select distinct t.object, m[2]::oid as function
        from tree t
        cross join lateral regexp_matches(
          t.body,
          ':(funcid|opfuncid|hashfuncid|negfuncid|aggfnoid|winfnoid|startInRangeFunc|endInRangeFunc|tsmhandler) (\\d+)',
          'g') m
        where m[2] <> '0'
      )
      select c.object, format('calls %s, which apps may not', c.function::regprocedure)
      from called c
      left join pg_proc p on p.oid = c.function
      left join pg_namespace n on n.oid = p.pronamespace
      where (
          -- Functions below 12000 are part of PostgreSQL.
          p.oid < 12000 and n.nspname = 'pg_catalog'
            and (p.provolatile = 'i' or p.proname = any (\(unstable)))
          or n.nspname = \(subject.schema)
          or n.nspname = 'core' and p.proname = any (\(coreFunctions))
        ) is not true
      order by 1, 2
      """,
      hint: "call only functions that compute from their arguments or read the clock, and the app's own"
    )
  }

  /// Reads of the app's own tables, of the referenced records' key and title, and of a few columns of core.
  private static func reads(_ subject: Subject) -> TableRule {
    TableRule(
      .readsOthers,
      """
      with \(trees(subject)),
      part as (
        select t.object, s.text
        from tree t
        cross join lateral string_to_table(t.body, ':relid ') with ordinality s (text, number)
        where s.number > 1
      ),
      range as (
        -- selectedCols are numbers of columns plus seven: the row as a whole is column 0.
        select p.object, split_part(p.text, ' ', 1)::oid as relation,
          string_to_array(btrim(split_part(split_part(p.text, ':selectedCols (b', 2), ')', 1)), ' ')::integer[] as columns
        from part p
      ),
      read as (
        select distinct r.object, r.relation, c.number - 7 as number
        from range r
        left join lateral unnest(r.columns) c (number) on true
        where r.relation <> 0
      ),
      allowed (name) as (
        select unnest(\(subject.columns))
        union
        select format('%s.%s.%s', y.table_schema, y.table_name, c.name)
        from core.record_type y
        cross join lateral (
          values ('company_id'), ('id'), ('deleted_at'), ('number'), (y.definition ->> 'title_field')
        ) c (name)
        where y.name = any (\(subject.targets))
        union
        -- What readers of the type get, and whether it is deleted.
        select format('%s.%s.%s', y.table_schema, y.table_name, a.attname)
        from core.record_type y
        join pg_attribute a
          on a.attrelid = to_regclass(format('%I.%I', y.table_schema, y.table_name))
          and a.attnum > 0 and not a.attisdropped
        where y.name = any (\(subject.reads))
          and (
            a.attname in ('company_id', 'deleted_at')
            or a.attname <> all (\(RecordType.hiddenColumns.sorted()))
              and exists (
                select from pg_attribute s
                where s.attrelid = to_regclass(format('%I.%I', y.view_schema, y.view_name)) and s.attname = a.attname
              )
          )
      )
      select r.object, format('reads %s, which apps may not', concat_ws('.', r.relation::regclass, a.attname))
      from read r
      join pg_class c on c.oid = r.relation
      join pg_namespace n on n.oid = c.relnamespace
      left join pg_attribute a on a.attrelid = c.oid and a.attnum = r.number
      where n.nspname <> \(subject.schema)
        and not (n.nspname = 'report' and c.relname = any (\(subject.reportViews)))
        and case
          when r.number is null
          then not exists (select from allowed w where w.name like format('%s.%s.%%', n.nspname, c.relname))
          else format('%s.%s.%s', n.nspname, c.relname, a.attname) not in (select w.name from allowed w)
        end
      order by 1, 2
      """,
      hint:
        "read the app's own tables and the titles of types that references name; for more, list the type, or core.person, under reads"
    )
  }

  /// The trees of all objects of the app, each with the object's name.
  private static func trees(_ subject: Subject) -> SQL {
    """
    own as (
      select c.oid, format('%s.%s', n.nspname, c.relname) as name, c.relpartbound
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = \(subject.schema) or n.nspname = 'report' and c.relname = any (\(subject.reportViews))
    ),
    tree (object, body) as (
      select o.name, concat(w.ev_action::text, w.ev_qual::text)
      from pg_rewrite w join own o on o.oid = w.ev_class
      union all
      select o.name, d.adbin::text from pg_attrdef d join own o on o.oid = d.adrelid
      union all
      select format('%s.%s', n.nspname, k.conname), k.conbin::text
      from pg_constraint k join pg_namespace n on n.oid = k.connamespace
      where n.nspname = \(subject.schema) and k.conbin is not null
      union all
      select o.name, concat(i.indexprs::text, i.indpred::text) from pg_index i join own o on o.oid = i.indrelid
      union all
      select o.name, t.tgqual::text from pg_trigger t join own o on o.oid = t.tgrelid where t.tgqual is not null
      union all
      select o.name, p.partexprs::text
      from pg_partitioned_table p join own o on o.oid = p.partrelid
      where p.partexprs is not null
      union all
      select o.name, o.relpartbound::text from own o where o.relpartbound is not null
      union all
      select format('%s.%s', n.nspname, f.proname), concat(f.prosqlbody::text, f.proargdefaults::text)
      from pg_proc f join pg_namespace n on n.oid = f.pronamespace
      where n.nspname = \(subject.schema)
    )
    """
  }
}
