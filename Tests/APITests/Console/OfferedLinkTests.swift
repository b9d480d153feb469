import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// What a page offers is not refused.
@Suite(.timeLimit(.minutes(60))) struct OfferedLinkTests {
  @Test(arguments: ["owner", "admin", "user", "viewer"])
  func `every link of every page that a role sees opens`(_ role: String) async throws {
    let console = try await ConsoleFixture.open()
    let own = try await console.shop.entry("user")
    try await console.shop.take("start", own)
    _ = try await console.shop.entry("admin", ["due_on": "2026-01-01"])
    var browser = try await console.browser(role)
    let root = console.at("")
    var (seen, waiting): (Set<String>, [(from: String, to: String)]) = ([root], [("", root)])
    while let next = waiting.popLast(), seen.count < 600 {
      let page = try await browser.open(next.to)
      #expect(page.status == 200, "\(next.from) offers \(next.to): \(page.status)")
      for link in page.links where link.hasPrefix(root + "/") {
        let address = String(link.prefix { $0 != "#" })
        // One order, filter or page of a list stands for all.
        guard seen.insert(String(address.prefix { $0 != "?" })).inserted else { continue }
        waiting.append((from: next.to, to: address))
      }
    }
    #expect(seen.count > 30, "\(seen.sorted())")
  }

  @Test func `somebody who only reads is not offered new work, and sees the reports that they may run`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    _ = try await console.shop.entry()
    var viewer = try await console.browser("viewer")
    #expect(try await !viewer.open(console.at("")).links.contains(console.at("/maintenance/entry/new")))
    let reports = try await viewer.open(console.at("/reports")).links
    #expect(reports.contains(console.at("/reports/backlog")))
    #expect(!reports.contains(console.at("/reports/audit")))
    var owner = try await console.browser("owner")
    #expect(try await owner.open(console.at("")).links.contains(console.at("/maintenance/entry/new")))
    #expect(try await owner.open(console.at("/reports")).links.contains(console.at("/reports/audit")))
  }

  @Test func `somebody with an account who opens an invitation signs in and still has its code`() async throws
  {
    let console = try await ConsoleFixture.open()
    let word = "w\(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(12))"
    var browser = console.browser
    try await browser.open("/sign-up")
    let account = ["email": "ana@\(word).example", "password": ConsoleFixture.password]
    let place = ["name": "Ana Ek", "company": "Verkstad \(word)", "timezone": "Europe/Stockholm"]
    let home = try await browser.send("/sign-up", account.merging(place) { $1 })
    try await browser.open(home.path + "/me")
    try await browser.send("/sign-out")
    let invited = try await browser.open("/sign-up?code=ABCD-EFGH")
    try await browser.open(try #require(invited.links.first { $0.hasPrefix("/sign-in?") }))
    let join = try await browser.send("/sign-in", account)
    #expect(join.path.hasPrefix("/join"), "\(join.path)")
    #expect(join.form("/join")?.fields.contains { $0.name == "code" && $0.value == "ABCD-EFGH" } == true)
  }

  @Test func `what asks for an entitlement is offered with it only`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("user")
    let list = console.at("/macros/carb_cycle")
    #expect(try await !browser.open(list).links.contains(list + "/new"))
    let refused = try await browser.open(list + "/new")
    #expect(refused.status == 403 && refused.plain.contains("pro"), "\(refused.plain)")
    _ = try await Entitlements(console.shop.engine.operators).grant(console.shop.operatorContext, name: "pro")
    #expect(try await browser.open(list).links.contains(list + "/new"))
    #expect(try await browser.open(list + "/new").status == 200)
  }
}
