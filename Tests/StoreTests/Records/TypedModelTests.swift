import Domain
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@Suite struct TypedModelTests {
  private static let models: [(table: String, columns: [String])] = [
    ("machine", Machine.columns), ("category", Category.columns), ("entry", MaintenanceEntry.columns),
    ("time_entry", TimeEntry.columns),
  ]

  @Test(arguments: models)
  func `the columns of a model are those of its table`(_ table: String, _ columns: [String]) async throws {
    let companies = try await TwoCompanies.shared()
    let present = try await companies.superuser.rows(
      Column.query(schema: "maintenance", relation: table),
      as: Column.self
    )
    #expect(columns.sorted() == present.map(\.name).sorted())
  }

  @Test func `rows are read by their models`() async throws {
    let machine = try await row("machine", 10, as: Record<Machine>.self)
    #expect(machine.code == "RM-a")
    #expect(machine.status == .active)
    let category = try await row("category", 11, as: Record<Domain.Category>.self)
    #expect(category.machineID == TwoCompanies.id("a", 10))
    #expect(!category.isBase)
    let entry = try await row("entry", 14, as: Record<MaintenanceEntry>.self)
    #expect(entry.status == .pending)
    #expect(entry.reportedOn.description == "2026-01-01")
    #expect(entry.companyID == TwoCompanies.a)
  }

  @Test func `the typed statuses move along the edges that are installed`() async throws {
    let companies = try await TwoCompanies.shared()
    let installed = try await companies.superuser.rows(
      """
      select transition || ' ' || from_status || ' ' || to_status from core.workflow_edge
      where record_type = 'maintenance.entry' and not by_system
      """,
      String.self
    )
    let typed = MaintenanceStatus.allCases.flatMap { from in
      from.actions.compactMap { action in
        from[action].map { "\(action.rawValue) \(from.rawValue) \($0.rawValue)" }
      }
    }
    #expect(typed.sorted() == installed.sorted())
    let states = try await companies.superuser.rows(
      "select record_type || ' ' || status || ' ' || category from core.workflow_state",
      String.self
    )
    for status in MaintenanceStatus.allCases {
      #expect(states.contains("maintenance.entry \(status.rawValue) \(status.category.rawValue)"))
    }
    #expect(
      states.filter { $0.hasPrefix("maintenance.machine ") }.count == MachineStatus.allCases.count
    )
    for status in MachineStatus.allCases {
      #expect(states.contains { $0.hasPrefix("maintenance.machine \(status.rawValue) ") })
    }
  }

  /// Yellow for waiting, blue for in progress, green for done: the colours that users know from the apps.
  @Test func `the colours of an entry's states are those of the manifest`() async throws {
    let colors = try await TwoCompanies.shared().superuser.rows(
      """
      select s.status, s.color from core.workflow_state s
      where s.record_type = 'maintenance.entry' and s.version = (
        select max(d.version) from core.workflow_definition d where d.record_type = 'maintenance.entry')
      order by s.position
      """,
      String.self,
      String.self
    )
    #expect(colors.map(\.0) == ["pending", "in_progress", "completed"])
    #expect(colors.map(\.1) == ["yellow", "blue", "green"])
  }

  private func row<Model: Decodable & Sendable>(_ table: String, _ number: Int, as type: Model.Type)
    async throws -> Model
  {
    let companies = try await TwoCompanies.shared()
    let id = TwoCompanies.id("a", number)
    let document = try await companies.superuser.value(
      """
      select to_jsonb(t) from \(identifier: "maintenance", table) t
      where t.company_id = \(TwoCompanies.a) and t.id = \(id)
      """,
      as: JSON.self
    )
    return try document.decoded(as: Model.self)
  }
}
