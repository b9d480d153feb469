import AppInterfaces
import Apps
import Demo
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The records that a guest of the demo company finds, today and tomorrow.
@Suite(.serialized, .timeLimit(.minutes(60))) struct DemoGuestTests {
  @Test func `a guest finds machines and work orders, and changes nothing`() async throws {
    try await DemoHouse.visiting { engine, company, guest in
      let records = engine.records
      #expect(try await records.list(guest, type: "maintenance.machine", RecordQuery()).count == 4)
      let entries = try await records.list(guest, type: "maintenance.entry", RecordQuery())
      #expect(Set(entries.compactMap { $0.text("status") }) == ["pending", "in_progress", "completed"])
      let writing = try await refused {
        _ = try await records.create(
          guest,
          type: "maintenance.machine",
          fields: ["code": "RM-9", "name": "x"]
        )
      }
      #expect(writing.category == .denied)
      let shop = Workshop(engine: engine, company: company, members: [:], machine: UUID(), category: UUID())
      #expect(try await Integrity(shop: shop).faults() == [])
    }
  }

  @Test func `loading again adds nothing, and a refresh on the same day moves nothing`() async throws {
    try await DemoHouse.visiting { engine, company, _ in
      let history: SQL = "select count(*) from core.history h where h.company_id = \(company.id)"
      let before = try await engine.superuser.value(history, as: Int.self)
      try await DemoCompany(engine.operators, CompiledApps.demos).load(operatorName: "tests")
      #expect(try await DemoGuest(engine.operators, engine.records, CompiledApps.demos).refresh(company) == 0)
      #expect(try await engine.superuser.value(history, as: Int.self) == before)
    }
  }

  @Test func `what has become old is moved to today, by a worker's login too`() async throws {
    try await DemoHouse.visiting { engine, _, guest in
      let moved = try await DemoHouse.refreshed(
        engine,
        guest,
        "update maintenance.entry set reported_on = reported_on - 10"
      )
      #expect(moved == 6)
    }
  }
}
