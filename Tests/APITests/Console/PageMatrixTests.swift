import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// Every page of the console, tried by those who must not get it, and with names of nothing.
@Suite(.timeLimit(.minutes(60))) struct PageMatrixTests {
  /// Fills the placeholders of a pattern.
  private static func path(_ pattern: String, _ console: ConsoleFixture, id: String) -> String {
    var path = pattern.replacing("{company}", with: console.shop.company.slug)
    for (name, value) in [
      ("app", "maintenance"), ("type", "machine"), ("id", id), ("transition", "retire"), ("member", id),
      ("invite", id), ("verb", "suspend"), ("name", "backlog"), ("secret", "0"),
      ("link", id), ("grant", id), ("view", id), ("import", id), ("number", "1"), ("job", id),
      ("schedule", "x"),
      ("webhook", id), ("attempt", id), ("role", "admin"), ("device", id), ("no", "1"), ("session", id),
      ("token", id), ("file", id),
    ] { path = path.replacing("{\(name)}", with: value) }
    return path
  }

  @Test func `no page is shown or sent without a session, and none by a form of another site`() async throws {
    let console = try await ConsoleFixture.open()
    let pages = console.api.table.routes.filter { $0.face == .page && $0.pattern.hasPrefix("/c/") }
    #expect(pages.count > 25)
    let id = console.shop.machine.text
    var cells = 0
    for route in pages {
      let path = Self.path(route.pattern, console, id: id)
      var stranger = console.browser
      if route.method == .get {
        #expect(try await stranger.open(path).heading == "Sign in", "\(path)")
      } else {
        let page = try await stranger.post(path, [("f.name", "x")])
        #expect(page.status == 401, "\(path): \(page.status)")
        var victim = try await console.browser("owner")
        victim.headers.append(("sec-fetch-site", "cross-site"))
        #expect(try await victim.post(path, [("confirmed", "true")]).status == 403, "\(path)")
        cells += 1
      }
      cells += 1
    }
    print("pages × strangers: \(cells) cells")
  }

  @Test(arguments: ["owner", "viewer"])
  func `a page about nothing is refused, never an error of the server`(_ role: String) async throws {
    let console = try await ConsoleFixture.open()
    let pages = console.api.table.routes.filter { $0.face == .page }
    let names = [
      UUID().uuidString.lowercased(), "RM-404", "%00", "..", "🚜", String(repeating: "x", count: 3_000),
    ]
    var cells = 0
    for route in pages where !["/sign-out", "/switch"].contains(route.pattern) {
      for name in names {
        var browser = try await console.browser(role)
        let path = Self.path(route.pattern, console, id: name.percentEncoded)
        let page =
          route.method == .get
          ? try await browser.open(path)
          : try await browser.post(path, [("f.code", name), ("role", name), ("id", name)])
        #expect(page.status < 500, "\(route.method.rawValue) \(path.prefix(80)): \(page.status)")
        cells += 1
      }
    }
    print("pages × names of nothing: \(cells) cells")
    let record = try await console.shop.records.show(
      console.shop.acting("owner"),
      type: "maintenance.machine",
      id: console.shop.machine
    )
    #expect(record["status"] == "active")
  }
}
