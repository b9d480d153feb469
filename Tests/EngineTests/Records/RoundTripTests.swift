import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The number of round trips determines the latency of a command, so it must not grow unnoticed.
@Suite(.timeLimit(.minutes(60))) struct RoundTripTests {
  private static func open(_ process: RoundTrips, _ shop: Workshop, _ name: String? = nil) async throws
    -> Opening
  {
    try await ActingContexts(process.services).open(
      company: shop.company.slug,
      operatorName: "tests",
      as: "admin",
      record: name.map { NamedRecord($0, type: "maintenance.machine") }
    )
  }

  @Test func `the statements of a command are planned once, and those of a read for its values`() async throws
  {
    let shop = try await Workshop.open()
    let mode = try await shop.records.perform(shop.acting("admin")) { work in
      try work.transaction.value("show plan_cache_mode", as: String.self)
    }
    #expect(mode == "force_generic_plan")
    let read = try await shop.engine.services.database.value("show plan_cache_mode", as: String.self)
    #expect(read == "auto")
  }

  @Test func `company, member, rights, catalogue version and record are opened in one round trip`()
    async throws
  {
    let shop = try await Workshop.open()
    let process = RoundTrips(shop.engine.database)
    let first = try await process.during { _ = try await Self.open(process, shop, "rm-001") }
    #expect(first == 2, "a process without a catalogue reads it first")
    let next = try await process.during {
      let opening = try await Self.open(process, shop, "rm-001")
      #expect(opening.record == shop.machine)
      #expect(opening.acting.user == shop.members["admin"]?.userID)
      #expect(opening.rights.holds("maintenance.machine.update"))
    }
    #expect(next == 1)
    let context = try await process.during {
      _ = try await ActingContexts(process.services)
        .take(company: shop.company.slug, operatorName: "tests", as: "viewer@\(shop.company.slug)")
    }
    #expect(context == 1)
  }

  @Test func `record show takes two round trips, and three in a process that knows no type yet`() async throws
  {
    let shop = try await Workshop.open()
    let process = RoundTrips(shop.engine.database)
    func show() async throws {
      let opening = try await Self.open(process, shop, "RM-001")
      let id = try #require(opening.record)
      let machine = try await opening.records.show(opening.acting, type: "maintenance.machine", id: id)
      #expect(machine["code"]?.string == "RM-001")
      #expect(machine["allowed"]?.array?.contains("delete") == true)
    }
    // The opening; then begin, rights, record, guards, the obstacles of a deletion, and commit.
    #expect(try await process.during { try await show() } == 3, "\(process.last)")
    #expect(try await process.during { try await show() } == 2, "\(process.last)")
  }

  @Test func `record do takes four round trips, and five in a process that knows no type yet`() async throws {
    let shop = try await Workshop.open()
    let process = RoundTrips(shop.engine.database)
    func take(_ transition: String) async throws {
      let opening = try await Self.open(process, shop, "RM-001")
      let answer = try await opening.records.transition(
        opening.acting,
        type: "maintenance.machine",
        id: try #require(opening.record),
        request: TransitionRequest(transition, comment: "as the test says")
      )
      #expect(answer.version > 1)
    }
    // Begin; lock, rights and guards; writes and commit; the notification of its job. There are no further
    // reads in between.
    #expect(try await process.during { try await take("take_out") } == 5, "\(process.last)")
    #expect(try await process.during { try await take("return") } == 4, "\(process.last)")
  }

  @Test func `an app that is installed meanwhile is seen by the next opening`() async throws {
    let database = try await TestDatabase.make()
    let engine = try await EngineFixture.open(database, poolSize: 4)
    let shop = try await Workshop.open(in: engine)
    let process = RoundTrips(database)
    _ = try await Self.open(process, shop)
    let number = try #require(process.services.catalogue.known?.number)
    try await database.connect(as: "postgres", poolSize: 1).execute(
      "update core.installation set catalogue = catalogue + 1"
    )
    let opening = try await Self.open(process, shop, "RM-001")
    #expect(opening.record == shop.machine)
    #expect(process.services.catalogue.known?.number == number + 1)
    await engine.close()
  }

  @Test func `an unknown name is refused with the closest one`() async throws {
    let shop = try await Workshop.open()
    let contexts = ActingContexts(shop.engine.operators)
    func hint(_ company: String, _ member: String?, _ name: String) async throws -> (ErrorCode, String) {
      let error = try await refused {
        _ = try await contexts.open(
          company: company,
          operatorName: "tests",
          as: member,
          record: NamedRecord(name, type: "maintenance.machine")
        )
      }
      return (error.code, error.hint)
    }
    #expect(try await hint(shop.company.slug, nil, "RM-002") == (.notFound, "did you mean RM-001?"))
    #expect(try await hint(shop.company.slug, "amdin", "RM-001") == (.notFound, "did you mean admin?"))
    let missing = try await hint("\(shop.company.slug)x", nil, "RM-001")
    #expect(missing == (.notFound, "did you mean \(shop.company.slug)?"))
    let suspended = try await Members(shop.engine.operators)
      .setStatus(shop.operatorContext, member: "viewer", status: .suspended)
    #expect(suspended.status == .suspended)
    #expect(try await hint(shop.company.slug, "viewer", "RM-001").0 == .forbidden)
  }
}
