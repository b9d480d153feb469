import BrowserFixtures
import EndToEndFixtures
import Foundation
import TestDatabase
import TestTools
import Testing
import Values

/// What goes wrong on the way: answers that are cut, people who leave, sessions that end, an app that comes while people
/// work, and a clock that jumps.
@Suite(.timeLimit(.minutes(60))) struct ConsoleTroubleTests {
  /// The number of entries with a description.
  private static func count(_ words: String, _ shop: BrowserShop) async throws -> Int {
    let list = try await shop.shell.rows(
      "entry",
      "list",
      "--company",
      "workshop",
      "--where",
      "description=\(words)"
    )
    return list.count
  }

  private static func write(_ words: String, in browser: Browser) async throws {
    try await browser.field("Machine").select("RM-001")
    try await browser.field("Category").select("Hydraulics")
    try await browser.field("Description").type(words)
  }

  @Test
  func
    `a form that is sent twice, sent again after a cut answer, and sent once more from behind makes one record`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let base = "http://127.0.0.1:\(proxy.port)"
    let new = "\(base)/c/workshop/maintenance/entry/new"
    try await Browser.open { browser in
      try await browser.open("/c/workshop", of: shop, as: shop.workshop.dispatcher)
      // Two sends of one click.
      let twice = "Twice \(UUID().uuidString.prefix(8))"
      try await browser.open(new)
      try await Self.write(twice, in: browser)
      _ = try await browser.execute(
        "const f = document.querySelector('main form.form'); f.requestSubmit(); f.requestSubmit()"
      )
      try await browser.shows(twice)
      #expect(try await Self.count(twice, shop) == 1)
      // The answer is cut, and the person goes back and sends again.
      let cut = "Cut \(UUID().uuidString.prefix(8))"
      try await browser.open(new)
      try await Self.write(cut, in: browser)
      proxy.mode = .cut
      try? await browser.click("Save")
      try await browser.wait(for: "the cut") { proxy.cuts > 0 }
      proxy.mode = .open
      // The browser's page about the failure reloads what it has sent.
      try? await browser.reload()
      try await browser.open("\(base)/c/workshop/maintenance/entry?q=\(cut.replacing(" ", with: "%20"))")
      try await browser.shows(cut)
      #expect(try await Self.count(cut, shop) == 1)
      // From the record back to the form, and sent again as it is.
      let back = "Back \(UUID().uuidString.prefix(8))"
      try await browser.open(new)
      try await Self.write(back, in: browser)
      try await browser.click("Save")
      try await browser.shows(back)
      try await browser.back()
      try await browser.waitForHeading("New work order")
      if try await browser.field("Description").value == back {
        try await browser.click("Save")
        try await browser.shows(back)
      }
      #expect(try await Self.count(back, shop) == 1)
      // Changed from behind, it is another one, and nobody makes that unknowingly.
      try await browser.back()
      try await browser.waitForHeading("New work order")
      let other = "Other \(UUID().uuidString.prefix(8))"
      try await browser.field("Description").replace(with: other)
      try await browser.click("Save")
      try await browser.shows("saved already")
      #expect(try await Self.count(other, shop) == 0)
      try await browser.click("Save")
      try await browser.shows(other)
      #expect(try await Self.count(other, shop) == 1)
      #expect(try await Self.count(back, shop) == 1)
    }
  }

  @Test func `another act on a page from behind is done, and is not taken for the one before`() async throws {
    let shop = try await BrowserShop.shared()
    let owner = ["--company", "workshop", "--as", shop.workshop.owner.email]
    let made = try await shop.shell.fettle(
      arguments: [
        "plan", "add", "Grease \(UUID().uuidString.prefix(8))", "--machine", "RM-001", "--category",
        "Hydraulics", "--every-days", "30", "-o", "json",
      ] + owner
    )
    let id = try #require(made.output.firstMatch(of: /"id":\s*"([0-9a-f-]{36})"/), "\(made.errors)").1
    try await Browser.open { browser in
      try await browser.open("/c/workshop/maintenance/pm_plan/\(id)", of: shop, as: shop.workshop.owner)
      // A page with a lock is not kept in the browser's memory, but loaded again.
      _ = try await browser.execute("navigator.locks.request('page', () => new Promise(() => {}))")
      try await browser.find("form[action$='/do/pause'] button").click()
      try await browser.shows("Paused")
      try await browser.back()
      try await browser.find("form[action$='/do/resume'] button").click()
      try await browser.wait(for: "the plan to go on") {
        try await !browser.all("form[action$='/do/pause']").isEmpty
      }
      #expect(try await !browser.text.contains("saved already"))
    }
  }

  @Test func `a session that has ended keeps the form, and somebody who was removed reads nothing more`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let mail = "tess\(UUID().uuidString.prefix(8))@workshop.example".lowercased()
    let made = try await shop.shell.rows("invite", "create", "--role", "user", "--company", "workshop")
    let code = try #require(made.first?["code"] as? String)
    let words = "Kept \(UUID().uuidString.prefix(8))"
    try await Browser.open { browser in
      try await browser.open("\(shop.base)/sign-up?code=\(code.replacing("*", with: "%2A"))")
      try await browser.field("Your name").type("Tess Ek")
      try await browser.field("E-mail address").type(mail)
      try await browser.field("Password").type("a long sentence for Tess")
      try await browser.click("Create account")
      try await browser.waitForPath("/c/workshop")
      try await browser.open("\(shop.base)/c/workshop/maintenance/entry/new")
      try await Self.write(words, in: browser)
      try await browser.removeCookies()
      try await browser.click("Save")
      try await browser.waitForHeading("Sign in")
      try await browser.field("E-mail address").set(mail)
      try await browser.field("Password").set("a long sentence for Tess")
      try await browser.find("main form .primary").click()
      try await browser.waitForHeading("Welcome back")
      try await browser.find("main form .primary").click()
      try await browser.shows(words)
      #expect(try await Self.count(words, shop) == 1)
      try await shop.shell.done("member", "remove", mail, "--company", "workshop")
      try await browser.open("\(shop.base)/c/workshop/maintenance/entry")
      #expect(try await !browser.text.contains(words))
      #expect(try await !browser.heading.hasPrefix("Work orders"))
    }
  }

  @Test func `an app that is installed while people work has all its screens at once`() async throws {
    let shop = try await BrowserShop.shared()
    let folder = FileManager.default.temporaryDirectory.appending(path: "fettle-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    // A title and choices for which the language has no words.
    try ExampleApp.read()
      .replacing("title: Orchard", with: "title: Fruit trees", in: "orchard.app.yaml")
      .replacing(
        "templates:",
        with: """
          words:
            sv:
              app: Fruktträd
              orchard.tree#plural: Träd
              orchard.tree.variety: Sort
              orchard.tree.variety=red_apple: Rött äpple
              orchard.tree=growing: Växer

          templates:
          """,
        in: "orchard.app.yaml"
      )
      .replacing(
        "check (btrim(variety) <> '')",
        with: "check (variety in ('red_apple', 'pear'))",
        in: "tables/01_trees.sql"
      )
      .write(to: folder.path(percentEncoded: false))
    let outcome = try await shop.shell.fettle("app", "install", folder.path(percentEncoded: false))
    #expect(outcome.status == 0, "\(outcome.errors)")
    try await Browser.open { browser in
      try await browser.open("/c/workshop", of: shop, as: shop.workshop.owner)
      try await browser.wait(for: "the app in the menu") {
        try await browser.open("\(shop.base)/c/workshop")
        return try await browser.source.contains("/c/workshop/orchard/")
      }
      let links = try await browser.execute(
        "return [...document.querySelectorAll('nav a')].map(a => a.getAttribute('href')).filter(h => h.includes('/orchard/'))"
      )
      let places = links.array?.compactMap(\.string) ?? []
      #expect(!places.isEmpty)
      #expect(try await browser.find("nav").text.contains("Fruit trees"))
      try await shop.shell.done("tree", "add", "T-1", "red_apple", "--company", "workshop")
      try await browser.open("\(shop.base)/c/workshop/orchard/tree")
      #expect(try await browser.text.contains("Red apple"))
      try await shop.shell.done("tree", "add", "T-2", "red_apple", "--company", "solvik")
      try await browser.open("/c/solvik/me", of: shop, as: shop.solvik.owner)
      try await browser.find("#language").select("Svenska")
      try await browser.find("main form button").click()
      try await browser.wait(for: "the language") {
        try await browser.find("html").attribute("lang") == "sv"
      }
      try await browser.open("\(shop.base)/c/solvik/orchard/tree")
      for word in ["Fruktträd", "Träd", "Sort", "Rött äpple", "Växer"] {
        #expect(try await browser.text.contains(word), "\(word)")
      }
      try await browser.open("/c/workshop", of: shop, as: shop.workshop.owner)
      for place in places {
        try await browser.open("\(shop.base)\(place)")
        let list = try await browser.heading
        #expect(try await browser.axe(expecting: list) == [], "\(place)")
        try await browser.open("\(shop.base)\(place)/new")
        let form = try await browser.heading
        #expect(try await browser.axe(expecting: form) == [], "\(place)/new")
      }
      #expect(try await browser.policyReports() == [])
    }
  }

  @Test(arguments: [("2026-03-29", 23), ("2025-10-26", 25)])
  func `a day of the sun has its 23 or 25 hours as bars`(_ day: String, _ hours: Int) async throws {
    let shop = try await BrowserShop.shared()
    let site = "Shed \(day)"
    let owner = ["--company", "workshop", "--as", shop.workshop.owner.email]
    _ = try await shop.fettle(
      ["solar", "site", "add", site, "--capacity", "9.6", "--timezone", "Europe/Stockholm"] + owner
    )
    for (index, moment) in ["T00:30:00+01:00", "T12:00:00Z", "T21:00:00Z"].enumerated() {
      _ = try await shop.fettle(
        ["solar", "sample", "add", site, "--at", day + moment, "--kw", "2", "--kwh", "\(100 + index * 10)"]
          + owner.prefix(2)
      )
    }
    try await Browser.open { browser in
      try await browser.open(
        "/c/workshop/solar/day?site=\(site.replacing(" ", with: "%20"))&date=\(day)",
        of: shop,
        as: shop.workshop.owner
      )
      #expect(try await browser.all("tbody tr").count == hours)
      // Every hour has its place in the chart, and the drawn ones their bars.
      #expect(try await browser.all("svg.plot rect").count >= 18)
      #expect(try await browser.text.contains("02:00 (+02:00)") == (hours == 25))
      #expect(try await browser.axe(expecting: try await browser.heading) == [])
      try await browser.click("Day after")
      try await browser.wait(for: "the next day") { try await browser.all("tbody tr").count == 24 }
    }
  }
}
