internal import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
internal import Store

/// The company of a ``JobFixture``: people, a machine, and an entry reported by a technician.
package struct Shop: Sendable {
  package let fixture: JobFixture
  package let records: Records
  /// The technician who creates entries and works on them.
  package let ana: ActingContext
  package let entry: UUID

  private let fields: JSONObject

  package init(_ fixture: JobFixture) async throws {
    self.fixture = fixture
    records = try await Records.open(fixture.services)
    let members = Members(fixture.services)
    for (handle, role) in [("ana", "user"), ("olle", "admin"), ("vera", "viewer")] {
      let email = "\(handle)@acme.example"
      _ = try await members.add(fixture.operatorContext, email: email, name: handle.capitalized, role: role)
    }
    ana = try await ActingContexts(fixture.services).take(company: "acme", operatorName: "tester", as: "ana")
    let machine = try await records.create(
      fixture.operatorContext,
      type: "maintenance.machine",
      fields: ["code": "RM-001", "name": "Line marker"]
    )
    let category = try await records.create(
      fixture.operatorContext,
      type: "maintenance.category",
      fields: ["name": "Hydraulics"]
    )
    fields = [
      "machine_id": .string(machine.id.text), "category_id": .string(category.id.text),
      "description": "Leaks",
      "reported_on": "2026-03-01",
    ]
    entry = try await records.create(ana, type: "maintenance.entry", fields: fields).id
  }

  /// Creates another entry.
  package func add() async throws -> UUID {
    try await records.create(ana, type: "maintenance.entry", fields: fields).id
  }

  /// Applies a transition to the entry.
  ///
  /// - Parameter acting: the actor; nil for the technician.
  package func take(_ transition: String, as acting: ActingContext? = nil, dryRun: Bool = false) async throws
  {
    _ = try await records.transition(
      acting ?? ana,
      type: "maintenance.entry",
      id: entry,
      request: TransitionRequest(transition),
      dryRun: dryRun
    )
  }

  /// The number of notices by recipient.
  package func notices() async throws -> [String: Int] {
    let rows = try await fixture.superuser.rows(
      """
      select u.name, count(*)::int
      from core.notification n
      join core.app_user u on u.id = n.user_id
      group by u.name
      """,
      String.self,
      Int.self
    )
    return Dictionary(rows) { first, _ in first }
  }
}
