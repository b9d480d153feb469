import API
import Console
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// Links for people without an account, grants between members, saved lists and the dashboard.
@Suite(.timeLimit(.minutes(60))) struct SharingTests {
  @Test func `a link shows one record to somebody without an account until it is ended`() async throws {
    let console = try await ConsoleFixture.open()
    let entry = try await console.shop.entry("admin", ["description": "Hose <i>leaks</i>"])
    let other = try await console.shop.entry("admin", ["description": "Secret of another"])
    var admin = try await console.browser("admin")
    let record = try await admin.open(console.at("/maintenance/entry/\(entry.text)"))
    let place = try #require(record.links.first { $0.hasSuffix("/links") })
    try await admin.open(place)
    #expect(try await admin.send("/links", ["days": "400"]).status == 422)
    let made = try await admin.send("/links", ["days": "2"])
    #expect(made.status == 201)
    let address = try #require(made.text.firstMatch(of: /href="https:\/\/fettle\.example(\/s\/[^"]+)"/)).1
    var stranger = console.browser
    let page = try await stranger.open(String(address))
    #expect(page.status == 200)
    #expect(page.text.contains("Hose &lt;i&gt;leaks&lt;/i&gt;"))
    #expect(!page.text.contains("Secret of another"))
    #expect(page.plain.contains("RM-001"))
    #expect(!page.text.contains("href=\"/c/"))
    #expect(page.headers["referrer-policy"] == "no-referrer")
    // It opens nothing else, and a changed one opens nothing.
    #expect(try await stranger.open(console.at("/maintenance/entry/\(other.text)")).heading == "Sign in")
    #expect(
      try await stranger.open(String(address.dropLast()) + (address.last == "x" ? "y" : "x")).status == 404
    )
    try await admin.open(place)
    let end = try #require(admin.page.forms.first { $0.action.contains("/links/") })
    try await admin.post(end.action, [])
    #expect(try await stranger.open(String(address)).status == 404)
    // A viewer may not give away what they may not export.
    var viewer = try await console.browser("viewer")
    let seen = try await viewer.open(console.at("/maintenance/entry/\(entry.text)"))
    let offered = seen.links.contains { $0.hasSuffix("/links") }
    #expect(offered == (try await viewer.open(place).status == 200))
  }

  @Test func `a link ends with the membership of its maker`() async throws {
    let console = try await ConsoleFixture.open()
    let entry = try await console.shop.entry("admin")
    let links = RecordLinks(console.services, try await Records.open(console.services))
    let text = try await links.make(
      console.shop.acting("admin"),
      type: "maintenance.entry",
      record: entry,
      days: 3
    )
    var stranger = console.browser
    #expect(try await stranger.open("/s/\(text)").status == 200)
    let admin = try #require(console.shop.members["admin"])
    _ = try await Members(console.services).setStatus(
      console.shop.acting("owner"),
      user: admin.userID,
      status: .removed
    )
    #expect(try await stranger.open("/s/\(text)").status >= 400)
  }

  @Test
  func `a coach sees and sets what a member has granted, under the coach's name, until it is taken back`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    var (giver, coach) = (try await console.browser("user"), try await console.browser("admin"))
    let admin = try #require(console.shop.members["admin"])
    _ = try await Entitlements(console.shop.engine.operators).grant(console.shop.operatorContext, name: "pro")
    try await giver.open(console.at("/macros/preset/new"))
    let preset = try await giver.send(
      "/macros/preset/new",
      ["f.name": "Porridge", "f.protein_g": "12", "f.carbs_g": "54", "f.fat_g": "7"]
    )
    #expect(preset.status == 200, "\(preset.plain.suffix(400))")
    // Before the grant, nobody else sees it.
    #expect(try await coach.open(preset.path).status == 404)
    try await giver.open(console.at("/me/sharing"))
    let given = try await giver.send(
      "/me/sharing",
      ["to": admin.userID.text, "t.macros.preset": "change", "t.macros.goal": "see"]
    )
    #expect(given.plain.contains("Member admin"), "\(given.plain.suffix(500))")
    let got = try await coach.open(console.at("/me/sharing"))
    let entry = try #require(got.links.first { $0.contains("/for/") })
    let list = try await coach.open(entry)
    #expect(list.plain.contains("You act on what is private to Member user."))
    let lists = Set(list.links.filter { $0.contains("/for/") && $0.split(separator: "/").count == 6 })
    #expect(
      lists.contains { $0.hasSuffix("/macros/preset") } && lists.contains { $0.hasSuffix("/macros/goal") }
    )
    #expect(!lists.contains { $0.hasSuffix("/macros/entry") || $0.contains("maintenance") })
    let presets = try #require(lists.first { $0.hasSuffix("/macros/preset") })
    #expect(try await coach.open(presets).plain.contains("Porridge"))
    let record = try await coach.open(presets + "/" + String(preset.path.split(separator: "/").last ?? ""))
    #expect(record.status == 200)
    try await coach.open(record.path + "/edit")
    let changed = try await coach.send("/edit", ["f.name": "Porridge with milk"])
    #expect(changed.plain.contains("Porridge with milk"), "\(changed.plain.suffix(500))")
    // The giver sees the change and who made it.
    let seen = try await giver.open(preset.path)
    #expect(seen.plain.contains("Porridge with milk"))
    #expect(seen.plain.contains("Member admin changed it"))
    // What was only shown cannot be changed, and what was not granted cannot be seen.
    #expect(try await coach.open(presets.replacing("/preset", with: "/goal") + "/new").status >= 400)
    #expect(try await coach.open(presets.replacing("/preset", with: "/entry")).status == 404)
    #expect(try await coach.open(presets.replacing("macros/preset", with: "maintenance/entry")).status == 404)
    // A third person has nothing of it.
    var viewer = try await console.browser("viewer")
    #expect(try await viewer.open(presets).status == 404)
    try await giver.open(console.at("/me/sharing"))
    let take = try #require(giver.page.forms.first { $0.action.contains("/me/sharing/") })
    try await giver.post(take.action, [])
    #expect(try await coach.open(presets).status == 404)
  }

  @Test func `a list is saved with its filters, for oneself or for everybody, and removed`() async throws {
    let console = try await ConsoleFixture.open()
    var (owner, user) = (try await console.browser("owner"), try await console.browser("user"))
    let list = console.at("/maintenance/entry")
    #expect(try await user.open(list).form("/views") == nil)
    try await user.open("\(list)?status=pending&sort=due_on")
    let saved = try await user.send("/views", ["name": "Waiting <b>"])
    #expect(saved.text.contains("Waiting &lt;b&gt;"))
    #expect(!(try await owner.open(list).text.contains("Waiting &lt;b&gt;")))
    try await owner.open("\(list)?status=completed")
    try await owner.send("/views", ["name": "Done", "shared": "on"])
    let mine = try await user.open(list)
    let link = try #require(mine.links.first { $0.hasSuffix("status=completed") && $0.hasPrefix(list) })
    let shown = try await user.open(link)
    #expect(shown.forms.allSatisfy { !$0.action.contains("/views/") })
    let own = try #require(shown.links.first { $0.contains("sort=due_on") && $0.contains("status=pending") })
    try await user.open(own)
    let remove = try #require(user.page.forms.first { $0.action.contains("/views/") })
    let gone = try await user.post(remove.action, remove.fields)
    #expect(!gone.text.contains("Waiting &lt;b&gt;"))
    // A member cannot save for everybody by a forged field.
    try await user.open("\(list)?status=pending")
    let forged = try await user.send("/views", ["name": "All", "shared": "on"])
    #expect(forged.status == 403)
  }

  @Test func `an administrator puts a report on the dashboard, and takes it off`() async throws {
    let console = try await ConsoleFixture.open()
    _ = try await console.shop.entry("admin")
    var (owner, viewer) = (try await console.browser("owner"), try await console.browser("viewer"))
    let report = try await owner.open(console.at("/reports/backlog"))
    #expect(report.text.contains("<svg class=\"plot\""))
    #expect(
      report.text.contains("role=\"img\" aria-label=\"Open entries, most at RM-001: 1."),
      "\(report.plain.suffix(500))"
    )
    let on = try #require(report.forms.first { $0.action.hasSuffix("/views") })
    try await owner.post(on.action, on.fields)
    let board = try await viewer.open(console.at("/reports"))
    #expect(board.text.contains("class=\"tiles\"") == (board.status == 200))
    try await owner.open(console.at("/reports/backlog"))
    let off = try #require(owner.page.forms.first { $0.action.contains("/views/") })
    try await owner.post(off.action, off.fields)
    #expect(!(try await owner.open(console.at("/reports")).text.contains("class=\"tiles\"")))
  }
}
