internal import Domain
package import Postgres
internal import Store

/// Checks the permissions for a report: to read every type that its view reads.
package struct ReportAccess: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Requires that the actor may read everything that a report shows.
  ///
  /// A permission for own records suffices only for types whose records are private to their owners.
  ///
  /// - Parameter view: the view of the report, without its schema.
  /// - Throws: `forbidden` with the missing permission.
  package func require(_ acting: ActingContext, view: String) async throws {
    try await reading(acting, view: view, permission: nil) { _ in }
  }

  /// Runs a read-only body in the transaction in which the actor's rights to a report were checked.
  ///
  /// - Parameters:
  ///   - view: the view of the report, without its schema.
  ///   - permission: the permission that the report requires besides those of its tables; nil for none.
  /// - Throws: `forbidden` with the missing permission.
  package func reading<Value: Sendable>(
    _ acting: ActingContext,
    view: String,
    permission: String?,
    _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    let records = try await Records.open(services)
    return try await CompanyAdministration(services).read(acting, permission: "report.read") { tx, rights in
      if let permission { try rights.require(permission, for: .read) }
      guard !rights.isUnrestricted else { return try body(tx) }
      let tables = try tx.rows(Self.relations(of: [view]), String.self, String.self, Bool.self)
      for (_, relation, isNamed) in tables {
        try require(relation, hasPermission: isNamed, records, rights, view)
      }
      return try body(tx)
    }
  }

  /// Returns those of some views whose reports the actor may run, so that no other one is offered.
  ///
  /// - Parameter reports: the view of each report, without its schema, and the permission that it requires besides those of
  ///   its tables; nil for none.
  package func permitted(_ acting: ActingContext, among reports: [(view: String, permission: String?)])
    async throws -> Set<String>
  {
    let records = try await Records.open(services)
    return try await CompanyAdministration(services).read(acting, permission: "report.read") { tx, rights in
      let held = reports.filter { $0.permission.map(rights.holds) ?? true }.map(\.view)
      guard !rights.isUnrestricted else { return Set(held) }
      var permitted = Set(held)
      let tables = try tx.rows(Self.relations(of: held), String.self, String.self, Bool.self)
      for (view, relation, isNamed) in tables
      where (try? require(relation, hasPermission: isNamed, records, rights, view)) == nil {
        permitted.remove(view)
      }
      return permitted
    }
  }

  /// Requires the permission to read a table of a view.
  private func require(
    _ relation: String,
    hasPermission: Bool,
    _ records: Records,
    _ rights: Rights,
    _ view: String
  ) throws {
    if let type = records.catalogue.types.first(where: { $0.definition.table == relation }) {
      try require(type, rights, view)
    } else if let permission = hasPermission ? "\(relation).read" : Self.engine(relation) {
      try rights.require(permission, for: .read)
    }
  }

  private func require(_ type: RecordType, _ rights: Rights, _ view: String) throws {
    let permission = try Permission(type: type.name, verb: "read")
    switch rights.granted.reach(of: permission) {
    case .all: return
    case .own where type.definition.scope == .owner: return
    default:
      throw DomainError(
        .forbidden,
        "the report \(view) shows all \(type.definition.plural.lowercased()); missing permission: \(permission)",
        hint: "list the role's permissions with `fettle role show \(rights.access.role ?? "ROLE")`",
        details: ["permission": .string(permission.name)]
      )
    }
  }

  /// Returns the permission to read an engine table; nil for tables that every member may read and for tables
  /// outside `core`.
  private static func engine(_ relation: String) -> String? {
    switch relation {
    case "core.membership": "member.read"
    case "core.invite", "core.invite_redemption": "invite.read"
    case "core.role", "core.role_permission": "role.read"
    case "core.audit": "audit.read"
    case "core.webhook", "core.webhook_circuit", "core.webhook_delivery": "webhook.read"
    case "core.api_token": "token.read"
    case "core.company", "core.app_user": nil
    default: relation.hasPrefix("core.") ? "job.read" : nil
    }
  }

  /// Returns the query for the tables that the views of reports read, each after its view and with true if a permission
  /// `<table>.read` exists.
  private static func relations(of views: [String]) -> SQL {
    """
    select distinct v.relname::text, n.nspname || '.' || t.relname,
      exists (select from core.permission p where p.name = n.nspname || '.' || t.relname || '.read')
    from pg_class v
    join pg_rewrite w on w.ev_class = v.oid
    join pg_depend d
      on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
      and d.refclassid = 'pg_class'::regclass and d.refobjid <> v.oid and d.refobjsubid > 0
    join pg_class t on t.oid = d.refobjid
    join pg_namespace n on n.oid = t.relnamespace
    where v.relnamespace = 'report'::regnamespace and v.relname = any (\(views))
    order by 1, 2
    """
  }
}
