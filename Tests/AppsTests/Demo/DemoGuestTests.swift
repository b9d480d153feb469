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

/// What a guest of the demo company finds, today and tomorrow.
@Suite(.serialized, .timeLimit(.minutes(30))) struct DemoGuestTests {
  /// The demo company in a database of its own, and the guest's acting context.
  private func visiting<Value>(_ body: (Hall, CompanyRow, ActingContext) async throws -> Value) async throws
    -> Value
  {
    let hall = try await Hall.open(TestDatabase.make())
    try await DemoCompany(hall.operators).load(operatorName: "tests")
    let company = try await ActingContexts(hall.operators).company("demo")
    let guest = try await ActingContexts(hall.operators).member("guest", of: company)
    let value = try await body(
      hall,
      company,
      ActingContext(company: company, actor: .member(guest.userID), user: guest.userID)
    )
    await hall.close()
    return value
  }

  @Test func `a guest finds three meals of today, seven full days and three presets`() async throws {
    try await visiting { hall, _, guest in
      let macros = Macros(hall.services, hall.records)
      let today = try await macros.today(guest)
      #expect(try await macros.day(guest, today).entries == 3)
      let days = try await macros.range(guest, from: today.adding(days: -7), to: today.adding(days: -1))
      #expect(days.count == 7 && days.allSatisfy { $0.entries > 2 })
      #expect(try await hall.records.list(guest, type: "macros.preset", RecordQuery()).count == 3)
      let summary = try await macros.summary(guest, from: today.adding(days: -7), to: today.adding(days: -1))
      let average = try await hall.superuser.value(
        """
        select round(avg(x.kcal), 1) from (
          select sum(e.kcal) as kcal from macros.entry e
          where e.company_id = \(guest.company.id) and e.local_date < \(try #require(CalendarDate(iso: today.description)))
          group by e.local_date
        ) x
        """,
        as: Numeric.self
      )
      #expect(summary.averageKcal == average && summary.daysLogged == 7)
    }
  }

  @Test func `a guest finds machines, things, a trip and a roof, and changes nothing`() async throws {
    try await visiting { hall, company, guest in
      let records = hall.records
      #expect(try await records.list(guest, type: "maintenance.machine", RecordQuery()).count == 4)
      let entries = try await records.list(guest, type: "maintenance.entry", RecordQuery())
      #expect(Set(entries.compactMap { $0.text("status") }) == ["pending", "in_progress", "completed"])
      let items = try await records.list(guest, type: "inventory.item", RecordQuery())
      #expect(items.count == 12 && items.filter { $0.text("days_remaining") == "12" }.count == 1)
      let plans = try await records.list(guest, type: "trips.plan", RecordQuery())
      #expect(plans.map { $0.text("status") } == ["active"])
      #expect(try await records.list(guest, type: "trips.stop", RecordQuery()).count == 5)
      let sun = try await hall.superuser.value(
        "select count(*) from solar.sample s where s.company_id = \(company.id)",
        as: Int.self
      )
      #expect(sun >= 288, "yesterday is there whole")
      let writing = try await refused {
        _ = try await records.create(guest, type: "macros.entry", fields: ["fat_g": "1"])
      }
      #expect(writing.category == .denied)
      let shop = Workshop(hall: hall, company: company, members: [:], machine: UUID(), category: UUID())
      #expect(try await Integrity(shop: shop).faults() == [])
    }
  }

  @Test func `loading again adds nothing, and a refresh on the same day moves nothing`() async throws {
    try await visiting { hall, company, _ in
      let history: SQL = "select count(*) from core.history h where h.company_id = \(company.id)"
      let before = try await hall.superuser.value(history, as: Int.self)
      try await DemoCompany(hall.operators).load(operatorName: "tests")
      #expect(try await DemoGuest(hall.operators, hall.records).refresh(company) == 0)
      #expect(try await hall.superuser.value(history, as: Int.self) == before)
    }
  }

  @Test func `what has become old is moved to today, by a worker's login too`() async throws {
    try await visiting { hall, company, guest in
      // As if it had been loaded ten days ago.
      try await hall.superuser.transaction(.inside(company.id, user: guest.user, mode: .engine)) { tx in
        for statement in [
          "update macros.entry set eaten_at = eaten_at - interval '10 days', local_date = local_date - 10",
          "update inventory.item set purchase_date = purchase_date - 10",
          "update trips.plan set starts_on = starts_on - 10, ends_on = ends_on - 10",
          "update maintenance.entry set reported_on = reported_on - 10",
        ] { try tx.execute(SQL(trusted: "\(statement) where company_id = '\(company.id)'")) }
      }
      let worker = Services(database: hall.database.connect(as: "fettle_worker", poolSize: 2)) {
        throw DomainError(.unavailable)
      }
      let moved = try await DemoGuest(worker, try await Records.open(worker)).refresh(company)
      #expect(moved == 31 + 12 + 1 + 6)
      let macros = Macros(hall.services, hall.records)
      #expect(try await macros.day(guest, try await macros.today(guest)).entries == 3)
      let items = try await hall.records.list(guest, type: "inventory.item", RecordQuery())
      #expect(items.filter { $0.text("days_remaining") == "12" }.count == 1)
      #expect(try await DemoGuest(hall.operators, hall.records).refresh(company) == 0)
      await worker.database.close()
    }
  }
}
