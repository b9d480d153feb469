import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// `ETag`, `If-Match` and `If-None-Match`.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct ConditionalRequestTests {
  private static let machine = "/v1/maintenance/machine/RM-001"

  @Test func `a client that has the record gets 304 without a body, until something changes`() async throws {
    let api = try await RecordRouteTests.open()
    let viewer = try api.member("viewer")
    let first = try await api.get(Self.machine, as: viewer)
    let tag = try #require(first.headers["etag"])
    let again = try await api.get(Self.machine, as: viewer, headers: [("If-None-Match", tag)])
    #expect(again.status == 304)
    #expect(again.bytes.isEmpty)
    #expect(again.headers["etag"] == tag)
    // A computed column of the entry changes, the version does not.
    let id = try await api.shop.entry()
    let path = "/v1/maintenance/entry/\(id.text)"
    let before = try #require(try await api.get(path, as: viewer).headers["etag"])
    _ = try await api.shop.records.update(
      api.shop.acting("admin"),
      type: "maintenance.machine",
      id: api.shop.machine,
      fields: ["code": "RM-009"]
    )
    let after = try await api.get(path, as: viewer, headers: [("If-None-Match", before)])
    #expect(after.status == 200)
    #expect(after.json["version"] == 1)
    #expect(after.headers["etag"] != before)
  }

  @Test func `a write with the tag that was read succeeds once`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    let tag = try #require(try await api.get(Self.machine, as: admin).headers["etag"])
    let condition = [(name: "If-Match", value: tag)]
    let changed = try await api.patch(Self.machine, ["name": "B"], as: admin, headers: condition)
    #expect(changed.status == 200)
    for answer in [
      try await api.patch(Self.machine, ["name": "C"], as: admin, headers: condition),
      try await api.delete(Self.machine, as: admin, headers: condition),
      try await api.post(
        "\(Self.machine)/do/take_out",
        ["comment": "the engine is out"],
        as: admin,
        headers: condition
      ),
    ] {
      #expect(answer.status == 412)
      #expect(answer.code == .stale)
    }
    let newer = [(name: "If-Match", value: try #require(changed.headers["etag"]))]
    #expect(try await api.patch(Self.machine, ["name": "D"], as: admin, headers: newer).status == 200)
    let body: JSONObject = ["comment": "the engine is out", "version": 2]
    #expect(try await api.post("\(Self.machine)/do/take_out", body, as: admin).status == 409)
  }

  @Test func `a tag of another epoch is stale, although the version is the same`() async throws {
    let api = try await RecordRouteTests.open()
    let admin = try api.member("admin")
    for tag in ["\"00000000.1.00000000\"", "\"nonsense\""] {
      let condition = [(name: "If-Match", value: tag)]
      #expect(try await api.patch(Self.machine, ["name": "B"], as: admin, headers: condition).status == 412)
    }
    #expect(try await api.get(Self.machine, as: admin).json["version"] == 1)
    let any = [(name: "If-Match", value: "*")]
    #expect(try await api.patch(Self.machine, ["name": "B"], as: admin, headers: any).status == 200)
  }
}
