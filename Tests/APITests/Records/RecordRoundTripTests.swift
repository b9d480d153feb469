import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// One round trip for a read, two for a write. The check of the credential is in the same transaction.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct RecordRoundTripTests {
  /// Returns the number of round trips of the second of two equal requests, without notifications of workers.
  private func trips(
    _ process: RoundTrips,
    _ api: APIFixture,
    _ method: APIMethod,
    _ target: @autoclosure () async throws -> String,
    _ body: APIBody = .none,
    as caller: TestCaller,
    first: Bool = true
  ) async throws -> Int {
    if first { _ = try await api.send(method, try await target(), body, as: caller) }
    let path = try await target()
    _ = try await process.during {
      let answer = try await api.send(method, path, body, as: caller)
      #expect((200..<300).contains(answer.status), "\(path): \(answer.text)")
    }
    return process.last.split(separator: "\n").count { !$0.contains("notify_workers") }
  }

  private static func open() async throws -> (RoundTrips, APIFixture) {
    let shop = try await Workshop.open()
    let process = RoundTrips(shop.engine.database, as: "fettle_app")
    let api = try await APIFixture.open(shop, services: process.services) { services in
      RecordRoutes(services, try await .open(services)).routes
    }
    return (process, api)
  }

  @Test func `reading takes one round trip, whoever reads`() async throws {
    let (process, api) = try await Self.open()
    let id = try await api.shop.entry()
    let token = try await api.token("admin", scopes: ["maintenance.machine.read", "maintenance.entry.read"])
    let callers = [try api.member("owner"), try api.member("user"), try api.member("viewer"), token]
    let machine = "\(RecordRouteTests.machines)/\(api.shop.machine.text)"
    let entry = "\(RecordRouteTests.entries)/\(id.text)"
    for caller in callers {
      for target in [
        machine, entry, "\(machine)/history", "\(entry)/comments", RecordRouteTests.machines,
        "\(RecordRouteTests.entries)?limit=50&sort=-created_at&status=pending", "\(machine)?fields=code",
      ] {
        #expect(try await trips(process, api, .get, target, as: caller) == 1, "\(target)\n\(process.last)")
      }
    }
  }

  @Test func `a list with actions takes two round trips`() async throws {
    let (process, api) = try await Self.open()
    let target = "\(RecordRouteTests.machines)?include=allowed"
    #expect(try await trips(process, api, .get, target, as: api.member("owner")) == 2, "\(process.last)")
  }

  @Test func `creating, changing and a transition take two round trips`() async throws {
    let (process, api) = try await Self.open()
    let admin = try api.member("admin")
    let machine = "\(RecordRouteTests.machines)/\(api.shop.machine.text)"
    var number = 0
    func fields() -> APIBody {
      number += 1
      return .json(["code": .string("N-\(number)"), "name": "A"])
    }
    _ = try await api.send(.post, RecordRouteTests.machines, fields(), as: admin)
    let create = try await trips(
      process,
      api,
      .post,
      RecordRouteTests.machines,
      fields(),
      as: admin,
      first: false
    )
    #expect(create == 2, "\(process.last)")
    let comment = APIBody.json(["comment": "the engine is out"])
    let out = try await trips(process, api, .post, "\(machine)/do/take_out", comment, as: admin, first: false)
    #expect(out == 2, "\(process.last)")
    let back = try await trips(process, api, .post, "\(machine)/do/return", comment, as: admin, first: false)
    #expect(back == 2, "\(process.last)")
  }

  @Test func `types that were installed meanwhile are read once`() async throws {
    let (process, api) = try await Self.open()
    let viewer = try api.member("viewer")
    let machine = "\(RecordRouteTests.machines)/\(api.shop.machine.text)"
    #expect(try await trips(process, api, .get, machine, as: viewer) == 1)
    let known = try #require(process.services.catalogue.known)
    // As if the process had read the types before the last installation.
    let outdated = TypeCatalogue(types: known.types, number: known.number - 1)
    process.services.catalogue.keep(outdated)
    let count = try await trips(process, api, .get, machine, as: viewer, first: false)
    #expect(count > 1)
    #expect(try await trips(process, api, .get, machine, as: viewer, first: false) == 1)
    process.services.catalogue.keep(outdated)
    let write = try await api.post("\(machine)/comments", ["body": "hello"], as: api.member("user"))
    #expect(write.status == 201)
    process.services.catalogue.keep(outdated)
    let made = try await api.post(
      RecordRouteTests.machines,
      ["code": "Z", "name": "Z"],
      as: api.member("admin")
    )
    #expect(made.status == 201)
  }
}
