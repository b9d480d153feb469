import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The job `sync.trim` forgets what no device needs, and nothing else.
@Suite(.timeLimit(.minutes(30))) struct SyncTrimTests {
  private static let entry = "maintenance.entry"

  @Test func `confirmed answers are forgotten, and unresolved ones never`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let good = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    let bad = device.change(Self.entry, UUID(), "delete")
    let last = device.change(Self.entry, UUID(), "create", ["fields": .object(api.shop.fields())])
    #expect(try await device.push([good, bad, last]).kinds == ["applied", "rejected", "applied"])
    #expect(try await Self.trim(api).items == 0)
    _ = try await device.push([], ["confirmed_no": 2])
    #expect(try await Self.trim(api).items == 1)
    // A number whose answer was confirmed cannot be new: a copy of the device sends it.
    #expect(try await device.push([good]).code == .deviceCloned)
    #expect(try await device.push([last]).results.first?["replayed"] == true)
    #expect(try await device.push([bad]).results.first?["replayed"] == true)
  }

  @Test func `old deletions are forgotten once every device has them, and an older cursor begins again`()
    async throws
  {
    let api = try await TestDevice.api()
    var early = try await TestDevice.register(api, of: "user")
    var late = try await TestDevice.register(api, of: "viewer")
    let ids = try await [api.shop.entry(), api.shop.entry()]
    _ = try await early.pull()
    _ = try await late.pull()
    _ = try await api.delete("/v1/maintenance/entry/\(ids[0].text)", as: api.member("admin"))
    try await api.shop.take("start", ids[1])
    try await api.shop.hall.superuser.execute(
      "update core.feed set changed_at = now() - interval '181 days' where company_id = \(api.shop.company.id)"
    )
    #expect(try await Self.trim(api).deletions == 0)
    #expect(try await early.pull().contains { $0["op"] == "delete" })
    #expect(try await Self.trim(api).deletions == 0)
    // A device that was not seen for half a year is not waited for.
    try await api.shop.hall.superuser.execute(
      "update core.device set last_pull_at = now() - interval '181 days' where id = \(late.id)"
    )
    #expect(try await Self.trim(api).deletions == 1)
    #expect(try await early.page().json["restarted_scopes"] == nil)
    let page = try await late.page()
    #expect(page.json["restarted_scopes"]?.array == ["maintenance.entry"])
    let entries = try await late.pull().filter { $0["type"]?.string == Self.entry }
    #expect(entries.map { $0["id"] } == [.string(ids[1].text)])
    let report = try await Verification(api.shop.hall.operators, catalogue: api.shop.hall.catalogue).run([
      api.shop.company
    ])
    #expect(report.findings.isEmpty, "\(report.findings)")
  }

  private static func trim(_ api: APIFixture) async throws -> SyncTrim.Outcome {
    try await SyncTrim(api.shop.hall.database.connect(as: "fettle_worker"), company: api.shop.company.id)
      .run()
  }
}
