internal import Domain
internal import Postgres
internal import Store

/// Checks that the database itself isolates companies, guards records, protects append-only tables and
/// enforces foreign keys.
struct IsolationCheck {
  let types: [RecordType]

  func run(_ tx: Transaction) throws -> [VerifyFinding] {
    try find(.notIsolated, openTables, tx) + find(.notGuarded, unguarded, tx)
      + find(.notAppendOnly, writable, tx) + find(.keyOff, switchedOff, tx)
  }

  private func find(_ code: VerifyFinding.Code, _ sql: SQL, _ tx: Transaction) throws -> [VerifyFinding] {
    try tx.rows(sql, String.self, String.self).map { VerifyFinding(code, company: nil, type: $0.0, $0.1) }
  }

  /// The query for tables with a `company_id` whose rows are not restricted to the transaction's company.
  private var openTables: SQL {
    """
    select c.oid::regclass::text, case
        when not c.relrowsecurity then 'row-level security is off'
        when not c.relforcerowsecurity then 'row-level security does not bind the owner'
        else 'no policy holds it to a company'
      end
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p')
      and (n.nspname = 'core' or exists (select from core.record_type t where t.table_schema = n.nspname))
      and not (c.relrowsecurity and c.relforcerowsecurity
        -- A partition without a policy is closed: its rows are reachable only through its parent table.
        and (c.relispartition or exists (select from pg_catalog.pg_policy p
          where p.polrelid = c.oid and p.polname not in ('report', 'report_company', 'eraser'))))
    order by 1
    """
  }

  /// The query for record tables whose guard trigger is missing or disabled.
  private var unguarded: SQL {
    """
    select t.table_schema || '.' || t.table_name, case
        when g.tgenabled is null then 'it has no guard'
        else 'its guard is off'
      end
    from core.record_type t
    join pg_catalog.pg_namespace n on n.nspname = t.table_schema
    join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.table_name
    left join pg_catalog.pg_trigger g
      on g.tgrelid = c.oid and g.tgname = 'guard'
      and g.tgfoid = (select p.oid from pg_catalog.pg_proc p
                      join pg_catalog.pg_namespace s on s.oid = p.pronamespace
                      where s.nspname = 'core' and p.proname = 'guard_record')
    where g.tgenabled is null or g.tgenabled not in ('O', 'A')
    order by 1
    """
  }

  private static let appendOnly = [
    "history", "history_erasure", "audit", "history_seal", "job_queued", "job_claim", "job_ack",
  ]

  /// The query for append-only tables that one of Fettle's logins could change.
  private var writable: SQL {
    """
    select 'core.' || t.name, l.name || ' may change what was written'
    from unnest(\(Self.appendOnly)) t (name)
    cross join unnest(\(["fettle_app", "fettle_worker", "fettle_admin"])) l (name)
    where pg_catalog.has_table_privilege(l.name, 'core.' || t.name, 'update')
      or pg_catalog.has_table_privilege(l.name, 'core.' || t.name, 'delete')
      or pg_catalog.has_table_privilege(l.name, 'core.' || t.name, 'truncate')
    order by 1, 2
    """
  }

  /// The query for foreign keys that are disabled or not validated.
  private var switchedOff: SQL {
    """
    select distinct k.conrelid::regclass::text, k.conname || ' is not enforced'
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_trigger g on g.tgconstraint = k.oid
    where k.contype = 'f'
      and (n.nspname = 'core' or exists (select from core.record_type t where t.table_schema = n.nspname))
      and (not k.convalidated or g.tgenabled in ('D', 'R'))
    order by 1, 2
    """
  }
}
