import BrowserFixtures
import Foundation
import Testing

/// A day on the pages of the console, in a real browser.
@Suite(.timeLimit(.minutes(60))) struct ConsolePagesTests {
  /// A picture of one pixel.
  private static func picture() throws -> URL {
    let bytes = try #require(
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      )
    )
    let file = FileManager.default.temporaryDirectory.appending(path: "fettle-\(UUID().uuidString).png")
    try bytes.write(to: file)
    return file
  }

  @Test(arguments: [true, false])
  func `work is reported, started, completed and photographed, with scripts and without`(_ scripts: Bool)
    async throws
  {
    let shop = try await BrowserShop.shared()
    let words = "Gearbox hums \(UUID().uuidString.prefix(8))"
    try await Browser.open { browser in
      try await browser.open("/c/workshop", of: shop, as: shop.workshop.technician)
      try await browser.allowScripts(scripts)
      try await browser.open("\(shop.base)/c/workshop")
      try await browser.click("New work order")
      try await browser.waitForHeading("New work order")
      try await browser.field("Machine").select("RM-001")
      try await browser.field("Category").select("Hydraulics")
      try await browser.field("Description").type(words)
      try await browser.click("Save")
      try await browser.shows(words)
      #expect(try await browser.path.contains("/maintenance/entry/"))
      try await browser.click("Start")
      try await browser.shows("In progress")
      let file = try Self.picture()
      defer { try? FileManager.default.removeItem(at: file) }
      try await browser.find("#file").upload(file.path)
      try await browser.click("Send")
      try await browser.shows(file.lastPathComponent)
      try await browser.field("Comment").type("Bearing replaced")
      try await browser.click("Add comment")
      try await browser.shows("Bearing replaced")
      try await browser.click("Complete")
      try await browser.shows("Completed")
      for sentence in ["created it", "chose “Start”", "chose “Complete”"] {
        #expect(try await browser.text.contains(sentence), "\(sentence)")
      }
    }
  }

  @Test func `a reason that is missing is asked for, and the summary has the focus`() async throws {
    let shop = try await BrowserShop.shared()
    try await Browser.open { browser in
      try await browser.open("/c/workshop/maintenance/machine/RM-001", of: shop, as: shop.workshop.dispatcher)
      try await browser.click("Take out of service")
      try await browser.waitForHeading("Take out of service: RM-001")
      try await browser.field("Comment").type("x")
      try await browser.find("main form button").click()
      try await browser.shows("One thing to fix")
      #expect(try await browser.focus.attribute("id") == "summary")
      #expect(try await browser.field("Comment").value == "x")
    }
  }

  @Test func `a person signs in by keyboard alone and opens a work order`() async throws {
    let shop = try await BrowserShop.shared()
    let person = shop.solvik.technician
    try await Browser.open { browser in
      try await browser.open("\(shop.base)/c/solvik/maintenance/entry")
      try await browser.waitForHeading("Sign in")
      _ = try await browser.tab(to: "E-mail address")
      try await browser.press(person.email)
      _ = try await browser.tab(to: "Password")
      try await browser.press(person.password)
      try await browser.press(.enter)
      try await browser.waitForHeading("Work orders")
      #expect(try await browser.path.hasPrefix("/c/solvik/maintenance/entry"))
      // The first Tab offers to skip what every page repeats.
      try await browser.press(.tab)
      #expect(try await browser.focus.text == "Skip to the content")
      try await browser.press("j")
      try await browser.press(.enter)
      try await browser.wait(for: "the record") { try await browser.heading.hasPrefix("Work order WO-") }
    }
  }

  @Test func `nothing is cut off at 360, and menu and order can be reached without scripts`() async throws {
    let shop = try await BrowserShop.shared()
    try await Browser.open { browser in
      try await browser.view(width: 360, height: 740, isPhone: true)
      try await browser.allowScripts(false)
      for path in Self.paths {
        try await browser.open("/c/workshop\(path)", of: shop, as: shop.workshop.owner)
        #expect(try await browser.fitsWidth, "\(path)")
      }
      try await browser.open("\(shop.base)/c/workshop/maintenance/entry")
      try await browser.click("Menu")
      try await browser.click("Machines")
      try await browser.waitForHeading("Machines")
      try await browser.click("Filters")
      try await browser.field("Order").select("Code, falling")
      try await browser.click("Show")
      try await browser.wait(for: "the order") { try await browser.address.contains("sort=-code") }
    }
  }

  /// The pages that are looked at in every way.
  static let paths = [
    "", "/maintenance/entry", "/maintenance/entry?q=nothing-like-it", "/maintenance/entry/board",
    "/maintenance/entry/new", "/maintenance/entry/WO-1001", "/maintenance/machine/RM-001",
    "/maintenance/entry/WO-1001/edit", "/maintenance/entry/WO-1001/delete", "/people", "/reports",
    "/workflows/maintenance/entry",
    "/reports/backlog", "/search?q=hose", "/inbox", "/me", "/inventory/item", "/trips/plan/new",
    "/maintenance/time_entry/new", "/maintenance/entry/WO-1001/links", "/settings/company", "/settings/roles",
    "/settings/roles/user", "/settings/workflows", "/settings/webhooks", "/settings/jobs",
    "/settings/devices",
    "/settings/audit", "/workflows/maintenance/entry/overlay", "/workflows/maintenance/entry/own", "/imports",
    "/imports/new", "/me/safety", "/me/sharing", "/reports/costs", "/no/such/page",
  ]

  /// Light and dark, wide and phone, English and Swedish: each pair of choices occurs.
  @Test(arguments: [(false, 1280, "en"), (true, 360, "en"), (true, 1280, "sv"), (false, 360, "sv")])
  func `axe finds nothing on any page`(_ isDark: Bool, _ width: Int, _ language: String) async throws {
    let shop = try await BrowserShop.shared()
    let person = language == "sv" ? shop.solvik.owner : shop.workshop.owner
    let company = language == "sv" ? "solvik" : "workshop"
    try await Browser.open { browser in
      try await browser.view(width: width, height: 800, isPhone: width < 640)
      try await browser.prefer(Preferences(isDark: isDark))
      try await browser.open("/c/\(company)/me", of: shop, as: person)
      try await browser.find("#language").select(language == "sv" ? "Svenska" : "English")
      try await browser.find("main form button").click()
      try await browser.wait(for: "the language") {
        try await browser.find("html").attribute("lang") == language
      }
      for path in Self.paths {
        try await browser.open("\(shop.base)/c/\(company)\(path)")
        let heading = try await browser.heading
        let isProblem = ["Nothing here", "Här finns inget", "That did not work"].contains(heading)
        #expect(isProblem == (path == "/no/such/page"), "\(path): \(heading)")
        let found = try await browser.axe(expecting: heading)
        #expect(found == [], "\(path)")
      }
      // A form with several faults.
      try await browser.open("\(shop.base)/c/\(company)/maintenance/machine/new")
      _ = try await browser.execute("document.querySelector('main form.form').noValidate = true")
      try await browser.find("main form .primary").click()
      try await browser.wait(for: "the summary") { try await !browser.all("#summary").isEmpty }
      #expect(try await browser.axe(expecting: try await browser.heading) == [])
    }
  }

  @Test func `in WebKit, an entry goes its way, and what it says is Swedish for those who chose it`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let words = "Växellådan låter \(UUID().uuidString.prefix(8))"
    try await Browser.open(Browser.Options(.webkit)) { browser in
      try await browser.open("/c/solvik/me", of: shop, as: shop.solvik.dispatcher)
      try await browser.find("#language").select("Svenska")
      try await browser.find("main form button").click()
      try await browser.waitForHeading("Dina inställningar")
      try await browser.open("\(shop.base)/c/solvik/maintenance/entry/new")
      try await browser.field("Maskin").select("RM-001")
      try await browser.field("Kategori").select("Hydraulics")
      try await browser.field("Beskrivning").type(words)
      try await browser.click("Spara")
      try await browser.shows(words)
      try await browser.click("Börja")
      try await browser.shows("Pågår")
      try await browser.click("Klarmarkera")
      try await browser.shows("Klar")
    }
  }

  @Test func `pages outside a company pass axe too, and a stranger is led to the sign-in`() async throws {
    let shop = try await BrowserShop.shared()
    try await Browser.open { browser in
      for path in ["/", "/sign-in", "/sign-up", "/no-such-page"] {
        try await browser.open("\(shop.base)\(path)")
        #expect(try await browser.axe(expecting: try await browser.heading) == [], "\(path)")
      }
      try await browser.open("\(shop.base)/c/workshop/people")
      try await browser.waitForHeading("Sign in")
    }
  }
}
