import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Secrets
import Store
import Testing

/// Devices get the changes that they do not have, and nothing that they may not read.
@Suite(.timeLimit(.minutes(60))) struct PullRouteTests {
  private static let entry = "maintenance.entry"

  @Test func `a device gets every record, then only what changed`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "viewer")
    let ids = try await [api.shop.entry(), api.shop.entry(), api.shop.entry()]
    let first = try await device.pull(limit: 2)
    let entries = first.filter { $0["type"]?.string == Self.entry }
    #expect(Set(entries.compactMap { $0["id"]?.string }) == Set(ids.map(\.text)))
    #expect(entries.allSatisfy { $0["fields"]?.object?["description"] == "leaks" })
    #expect(first.contains { $0["type"]?.string == "maintenance.machine" })
    #expect(try await device.pull().isEmpty)
    try await api.shop.take("start", ids[1])
    let second = try await device.pullEntries()
    #expect(second.map { $0["id"] } == [.string(ids[1].text)])
    #expect(second.first?["fields"]?.object?["status"] == "in_progress")
    _ = try await api.delete("/v1/maintenance/entry/\(ids[2].text)", as: api.member("admin"))
    let third = try await device.pullEntries()
    #expect(third.map { $0["op"] } == ["delete"])
    #expect(third.first?["fields"] == nil)
  }

  @Test func `private records go to the devices of their owner only`() async throws {
    let api = try await TestDevice.api()
    var mine = try await TestDevice.register(api, of: "user", app: "macros")
    var other = try await TestDevice.register(api, of: "admin", app: "macros")
    let id = UUID()
    let answer = try await mine.push([
      mine.change(
        "macros.goal",
        id,
        "create",
        ["fields": ["day_type": "rest", "protein_g": 150, "carbs_g": 200, "fat_g": 60]]
      )
    ])
    #expect(answer.kinds == ["applied"], "\(answer.text)")
    #expect(try await mine.pull().contains { $0["id"]?.string == id.text })
    #expect(try await !other.pull().contains { $0["id"]?.string == id.text })
  }

  @Test func `a scope that the member may no longer read is removed, and a new one begins at its start`()
    async throws
  {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let entry = try await api.shop.entry()
    #expect(try await device.pull().contains { $0["id"]?.string == entry.text })
    let context = api.shop.operatorContext
    let member = try #require(api.shop.members["user"])
    _ = try await Roles(api.shop.engine.operators).define(
      context,
      name: "keeper",
      label: "Keeper",
      from: nil,
      permissions: ["maintenance.machine.read"]
    )
    _ = try await Members(api.shop.engine.operators).setRole(context, member: member.email, role: "keeper")
    let page = try await device.page()
    let removed = page.json["removed_scopes"]?.array?.compactMap(\.string) ?? []
    #expect(removed.contains(Self.entry))
    #expect(!removed.contains("maintenance.machine"))
    #expect(try await device.pull().isEmpty)
    try await api.shop.take("start", entry, as: "admin")
    #expect(try await device.pullEntries().isEmpty)
    _ = try await Members(api.shop.engine.operators).setRole(context, member: member.email, role: "user")
    #expect(try await device.pull().contains { $0["id"]?.string == entry.text })
  }

  @Test func `with the right to own records only, a device hears of no others`() async throws {
    let api = try await TestDevice.api()
    let context = api.shop.operatorContext
    let member = try #require(api.shop.members["user"])
    _ = try await Roles(api.shop.engine.operators).define(
      context,
      name: "helper",
      label: "Helper",
      from: nil,
      permissions: ["maintenance.entry.read.own", "maintenance.machine.read"]
    )
    let (mine, theirs) = try await (api.shop.entry("user"), api.shop.entry("admin"))
    _ = try await Members(api.shop.engine.operators).setRole(context, member: member.email, role: "helper")
    var device = try await TestDevice.register(api, of: "user")
    let changes = try await device.pull()
    #expect(changes.contains { $0["id"]?.string == mine.text })
    #expect(!changes.contains { $0["id"]?.string == theirs.text })
    let own = try await device.page().json["own"]?.array?.compactMap(\.object) ?? []
    let digest = try #require(own.first { $0["type"]?.string == Self.entry })
    #expect(digest["count"] == 1)
    #expect(digest["checksum"]?.string == String(mine.text.filter { $0 != "-" }.suffix(16)))
    let ids = try await api.get("/v1/sync/ids?type=maintenance.entry", as: device.caller)
    #expect(ids.json["ids"] == [.string(mine.text)])
  }

  @Test func `the cursor of another member, or of a restored database, is refused`() async throws {
    let api = try await TestDevice.api()
    var one = try await TestDevice.register(api, of: "user")
    var two = try await TestDevice.register(api, of: "admin")
    _ = try await one.pull()
    two.cursor = one.cursor
    #expect(try await two.page().code == .invalidInput)
    two.cursor = "bm90IGEgY3Vyc29y"
    #expect(try await two.page().code == .invalidInput)
    // A byte that is no UTF-8 must not become another character.
    two.cursor = nil
    _ = try await two.pull()
    var bytes = try #require(Base64.decode(two.cursor ?? "", alphabet: .url))
    let scope = try #require(bytes.firstRange(of: Array("maintenance".utf8)))
    bytes[scope.lowerBound] = 0xFF
    two.cursor = Base64.encode(bytes, alphabet: .url)
    #expect(try await two.page().code == .invalidInput)
    let stale = try await one.push([], ["epoch": .string(UUID().text)])
    #expect(stale.status == 410)
    #expect(stale.code == .resyncRequired)
  }

  @Test func `a push and a pull travel together`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "user")
    let id = UUID()
    let change = device.change(Self.entry, id, "create", ["fields": .object(api.shop.fields())])
    let answer = try await api.post(
      "/v1/sync/exchange",
      ["push": ["device_id": .string(device.id.text), "mutations": [.object(change)]]],
      as: device.caller
    )
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.json["push"]?.object?["results"]?.array?.first?.object?["result"] == "applied")
    let changes = answer.json["changes"]?.object?["changes"]?.array?.compactMap(\.object) ?? []
    #expect(changes.contains { $0["id"]?.string == id.text })
    #expect(answer.json["changes"]?.object?["acked_no"] == 1)
    let known = try await api.post(
      "/v1/sync/known",
      ["device_id": .string(device.id.text), "nos": [1, 2]],
      as: device.caller
    )
    #expect(known.json["nos"] == [1])
  }

  @Test func `a record travels with its files`() async throws {
    let api = try await TestDevice.api()
    var device = try await TestDevice.register(api, of: "viewer")
    let digest = Array(repeating: UInt8(7), count: 32)
    try await api.shop.engine.superuser.execute(
      """
      insert into core.attachment
        (company_id, id, record_type, record_id, kind, name, original_sha256, sha256, size_bytes, media_type, state)
      values (\(api.shop.company.id), \(UUID()), 'maintenance.machine', \(api.shop.machine), 'photo', 'roller.jpg',
              \(digest), \(digest), 10, 'image/jpeg', 'ready')
      """
    )
    let machine = try #require(await device.pull().first { $0["id"]?.string == api.shop.machine.text })
    let files = machine["files"]?.array?.compactMap(\.object) ?? []
    #expect(files.map { $0["name"] } == ["roller.jpg"])
    #expect(files.first?["sha256"]?.string == String(repeating: "07", count: 32))
  }
}
