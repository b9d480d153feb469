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

/// Demo data in a database of its own.
enum DemoHouse {
  /// The request of a small load of a fixed day.
  static func request(_ apps: Set<String>? = nil, number: Int = 1) throws -> DemoLoad.Request {
    var request = DemoLoad.Request(scale: .S)
    request.number = number
    request.apps = apps
    request.day = try LocalDate(parsing: "2026-07-01")
    return request
  }

  /// Loads into a database and hands it over.
  static func loaded<Value>(_ apps: Set<String>? = nil, _ body: (EngineFixture) async throws -> Value)
    async throws
    -> Value
  {
    let engine = try await EngineFixture.open(TestDatabase.make())
    _ = try await load(engine, request(apps))
    let value = try await body(engine)
    await engine.close()
    return value
  }

  static func load(_ engine: EngineFixture, _ request: DemoLoad.Request) async throws -> DemoLoad.Outcome {
    try await DemoLoad(engine.operators, CompiledApps.demos).run(request)
  }

  static func count(_ engine: EngineFixture, _ table: String) async throws -> Int {
    try await engine.superuser.value(SQL(trusted: "select count(*) from \(table)"), as: Int.self)
  }

  /// Expects numbers of rows by table.
  static func expect(_ promised: KeyValuePairs<String, Int>, in engine: EngineFixture) async throws {
    for (table, rows) in promised {
      let found = try await count(engine, table)
      #expect(found == rows, "\(table)")
    }
  }

  /// The company `demo`, and its guest's acting context.
  static func visiting<Value>(_ body: (EngineFixture, CompanyRow, ActingContext) async throws -> Value)
    async throws
    -> Value
  {
    let engine = try await EngineFixture.open(TestDatabase.make())
    try await DemoCompany(engine.operators, CompiledApps.demos).load(operatorName: "tests")
    let company = try await ActingContexts(engine.operators).company("demo")
    let guest = try await ActingContexts(engine.operators).member("guest", of: company)
    let value = try await body(
      engine,
      company,
      ActingContext(company: company, actor: .member(guest.userID), user: guest.userID)
    )
    await engine.close()
    return value
  }

  /// Ages rows of the company `demo` by ten days and refreshes with a worker's login.
  ///
  /// - Parameter aging: updates without a condition.
  /// - Returns: the number of records that were moved; a second refresh moves none.
  static func refreshed(_ engine: EngineFixture, _ guest: ActingContext, _ aging: String...) async throws
    -> Int
  {
    let company = guest.company
    try await engine.superuser.transaction(.inside(company.id, user: guest.user, mode: .engine)) { tx in
      for update in aging { try tx.execute(SQL(trusted: "\(update) where company_id = '\(company.id)'")) }
    }
    let worker = Services(database: engine.database.connect(as: "fettle_worker", poolSize: 2)) {
      throw DomainError(.unavailable)
    }
    let records = try await Records.open(worker)
    let moved = try await DemoGuest(worker, records, CompiledApps.demos).refresh(company)
    #expect(try await DemoGuest(engine.operators, engine.records, CompiledApps.demos).refresh(company) == 0)
    await worker.database.close()
    return moved
  }
}
