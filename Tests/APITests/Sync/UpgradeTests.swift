import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Devices after an upgrade of an app.
@Suite(.timeLimit(.minutes(60))) struct UpgradeTests {
  private static func open(_ body: (APIFixture, Database) async throws -> Void) async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    _ = try await AppInstaller(admin).install(ExampleApp.read().package())
    let engine = try await EngineFixture.open(database, poolSize: 4)
    try await body(try await TestDevice.api(Workshop.open(in: engine)), admin)
    await engine.close()
    await admin.close()
  }

  @Test func `a type with new columns is sent again, and others are not`() async throws {
    try await Self.open { api, admin in
      var device = try await TestDevice.register(api, of: "user", app: nil)
      let id = UUID()
      let create = device.change(
        "orchard.tree",
        id,
        "create",
        ["fields": ["code": "T-1", "variety": "Ingrid Marie"]]
      )
      #expect(try await device.push([create]).kinds == ["applied"])
      let entry = try await api.shop.entry()
      let first = try await device.pull()
      #expect(first.contains { $0["id"]?.string == id.text })
      #expect(first.contains { $0["id"]?.string == entry.text })
      let upgraded = try ExampleApp.read().upgraded()
      _ = try await AppInstaller(admin).install(upgraded.package())
      let page = try await device.page()
      #expect(page.json["restarted_scopes"] == ["orchard.tree"], "\(page.text)")
      let again = try await device.pull()
      #expect(again.map { $0["id"] } == [.string(id.text)])
      #expect(again.first?["fields"]?.object?["height"]?.number?.text == "1.50")
      #expect(try await device.page().json["restarted_scopes"] == nil)
      #expect(try await device.pull().isEmpty)
      // A device that begins now has nothing to restart.
      let late = try await TestDevice.register(api, of: "viewer", app: nil)
      #expect(try await late.page().json["restarted_scopes"] == nil)
    }
  }

  @Test func `an upgrade that changes no column sends nothing again`() async throws {
    try await Self.open { api, admin in
      var device = try await TestDevice.register(api, of: "user", app: nil)
      _ = try await device.pull()
      let other = try ExampleApp.read().replacing("version: 1", with: "version: 2", in: "orchard.app.yaml")
      _ = try await AppInstaller(admin).install(other.package())
      #expect(try await device.page().json["restarted_scopes"] == nil)
      #expect(try await device.pull().isEmpty)
    }
  }

  @Test func `a client that the app no longer supports is refused until it is updated`() async throws {
    try await Self.open { api, admin in
      var device = try await TestDevice.register(api, of: "user", app: nil)
      let app = try ExampleApp.read().replacing("version: 1", with: "version: 2", in: "orchard.app.yaml")
        .replacing("app: orchard", with: "app: orchard\nmin_client: 2", in: "orchard.app.yaml")
      _ = try await AppInstaller(admin).install(app.package())
      let create = device.change("orchard.tree", UUID(), "create", ["fields": ["code": "T-1"]])
      for answer in [try await device.page(), try await device.push([create])] {
        #expect(answer.status == 426)
        #expect(answer.code == .clientOutdated)
        #expect(answer.json["app"] == "orchard")
        #expect(answer.json["min_client"] == 2)
      }
      // A device of another app goes on, and so does a client that was updated.
      let other = try await TestDevice.register(api, of: "user")
      #expect(try await other.page().status == 200)
      #expect(try await device.push([], ["schema_version": 2]).status == 200)
      #expect(try await device.page().status == 200)
    }
  }
}
