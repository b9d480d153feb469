package import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
package import Store
internal import Synchronization
internal import TestDatabase

/// A company for one test of records, with people, a machine and a category.
package struct Workshop: Sendable {
  package let engine: EngineFixture
  package let company: CompanyRow
  /// The members by role; several of a role are `user`, `user2`.
  package let members: [String: MemberRow]
  package let machine: UUID
  package let category: UUID

  package var records: Records { engine.records }

  package init(
    engine: EngineFixture,
    company: CompanyRow,
    members: [String: MemberRow],
    machine: UUID,
    category: UUID
  ) {
    self.engine = engine
    self.company = company
    self.members = members
    self.machine = machine
    self.category = category
  }

  /// Creates a company with an owner and one member per role, by default in the shared database.
  package static func open(
    timeZone: String = "UTC",
    roles: [String] = ["admin", "user", "viewer"],
    in engine: EngineFixture? = nil
  ) async throws -> Workshop {
    let engine = if let engine { engine } else { try await EngineFixture.shared() }
    let slug = "shop-\(number.add(1, ordering: .relaxed).newValue)"
    let created = try await Companies(engine.operators).create(
      slug: slug,
      name: "Workshop",
      timeZone: timeZone,
      owner: (email: "owner@\(slug).example", name: "Olga Owner"),
      actor: .operator("tests")
    )
    let operatorContext = ActingContext(company: created.company, actor: .operator("tests"), user: nil)
    var members = ["owner": created.owner].compactMapValues { $0 }
    for name in roles {
      members[name] = try await Members(engine.operators).add(
        operatorContext,
        email: "\(name)@\(slug).example",
        name: "Member \(name)",
        role: String(name.prefix { !$0.isNumber })
      )
    }
    let machine = try await engine.records.create(
      operatorContext,
      type: "maintenance.machine",
      fields: ["code": "RM-001", "name": "Roller"]
    )
    let category = try await engine.records.create(
      operatorContext,
      type: "maintenance.category",
      fields: ["name": "Engine"]
    )
    return Workshop(
      engine: engine,
      company: created.company,
      members: members,
      machine: machine.id,
      category: category.id
    )
  }

  /// Returns the company in another connection to its database.
  package func moved(to engine: EngineFixture) -> Workshop {
    Workshop(engine: engine, company: company, members: members, machine: machine, category: category)
  }

  /// The acting context of a member by role, as in a session.
  package func acting(_ name: String) -> ActingContext {
    let user = members[name]?.userID
    return ActingContext(
      company: company,
      actor: user.map { .member($0) } ?? .operator("nobody"),
      user: user ?? UUID()
    )
  }

  /// An operator in their own name.
  package var operatorContext: ActingContext {
    ActingContext(company: company, actor: .operator("tests"), user: nil)
  }

  /// The engine itself, when a timer fires.
  package var system: ActingContext { ActingContext(company: company, actor: .system("timers"), user: nil) }

  /// The minimum fields of an entry.
  package func fields(_ more: JSONObject = [:]) -> JSONObject {
    var fields: JSONObject = [
      "machine_id": .id(machine), "category_id": .id(category), "description": "leaks",
    ]
    for (name, value) in more.members { fields[name] = value }
    return fields
  }

  /// Creates an entry, reported by a member.
  package func entry(_ name: String = "user", _ more: JSONObject = [:]) async throws -> UUID {
    try await records.create(acting(name), type: "maintenance.entry", fields: fields(more)).id
  }

  /// Applies a transition to an entry.
  @discardableResult
  package func take(
    _ transition: String,
    _ entry: UUID,
    as name: String = "user",
    comment: String? = nil
  ) async throws -> RecordAnswer {
    try await records.transition(
      acting(name),
      type: "maintenance.entry",
      id: entry,
      request: TransitionRequest(transition, comment: comment)
    )
  }

  /// The number of rows of a table about a record.
  package func count(_ table: String, of record: UUID) async throws -> Int64 {
    switch table {
    case "history", "feed", "timer":
      try await engine.superuser.value(
        """
        select count(*) from \(identifier: "core", table) t
        where t.company_id = \(company.id) and t.record_id = \(record)
        """,
        as: Int64.self
      )
    default:
      try await engine.superuser.value(
        """
        select count(*) from core.job_payload p
        where p.company_id = \(company.id) and p.cause_id = \(record)
        """,
        as: Int64.self
      )
    }
  }

  /// The number of rows of the company in each table that a unit of work writes.
  package func rows() async throws -> [Int64] {
    var counts: [Int64] = []
    for table in ["history", "feed", "timer", "job", "job_payload", "audit", "idempotency"] {
      counts.append(
        try await engine.superuser.value(
          "select count(*) from \(identifier: "core", table) t where t.company_id = \(company.id)",
          as: Int64.self
        )
      )
    }
    return counts
  }

  private static let number = Atomic(0)
}

extension JSONValue {
  /// An id as a JSON value.
  package static func id(_ id: UUID) -> JSONValue { .string(id.uuidString.lowercased()) }
}
