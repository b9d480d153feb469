import BrowserFixtures
import EndToEndFixtures
import Foundation
import Testing
import Values

/// The main tasks of a day, by keyboard alone. Signing in and opening a record by keyboard is tested with the pages.
@Suite(.timeLimit(.minutes(60))) struct KeyboardTests {
  /// Goes to something that can be pressed, and presses it.
  private static func press(_ label: String, in browser: Browser) async throws {
    _ = try await browser.tab(to: label)
    try await browser.press(.enter)
  }

  /// Presses a key that the page's script knows, once the page has it.
  private static func pressShortcut(_ key: String, in browser: Browser) async throws {
    try await browser.wait(for: "its script") {
      try await browser.execute("return document.readyState").string == "complete"
    }
    try await browser.press(key)
  }

  private static func fill(_ label: String, _ text: String, in browser: Browser) async throws {
    _ = try await browser.tab(to: label)
    try await browser.press(text)
  }

  /// Fills in the form of a new work order.
  private static func describe(_ words: String, in browser: Browser) async throws {
    try await browser.waitForHeading("New work order")
    try await fill("Machine", "R", in: browser)
    try await fill("Category", "Hyd", in: browser)
    try await fill("Description", words, in: browser)
  }

  /// Logs hours of the work order that is shown, of yesterday, when they are over; each test takes other hours of the day.
  private static func logHours(from start: String, to end: String, in browser: Browser) async throws {
    try await press("Log hours", in: browser)
    try await browser.waitForHeading("Log hours")
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "MMddyyyy"
    try await fill("Day", format.string(from: Date.now - 86_400), in: browser)
    try await fill("From", start, in: browser)
    try await fill("To", end, in: browser)
    try await browser.press(.enter)
    try await browser.wait(for: "the hours") {
      let path = try await browser.path
      return path.contains("/time_entry/") && !path.hasSuffix("/new")
    }
  }

  /// Starts the two work orders that a list has marked or shows, after a preview.
  private static func startBoth(_ words: String, of shop: BrowserShop, in browser: Browser) async throws {
    try await fill("Action", "Start", in: browser)
    try await press("Preview", in: browser)
    try await browser.shows("2 records would get")
    try await press("Start now", in: browser)
    try await browser.wait(for: "both work orders to be in progress") {
      let filter = ["entry", "list", "--search", words, "--status", "in_progress", "--output", "jsonl"]
      return try await shop.fettle(filter + ["--company", "workshop"]).split(separator: "\n").count == 2
    }
  }

  /// Makes two work orders, and returns what their description begins with.
  private static func twoOrders(_ shop: BrowserShop) async throws -> String {
    let words = "Both\(UUID().uuidString.prefix(8))"
    for _ in 0..<2 {
      let place = ["--machine", "RM-001", "--category", "Hydraulics", "--company", "workshop"]
      _ = try await shop.fettle(["entry", "add", words] + place)
    }
    return words
  }

  /// Invites somebody, and reads a report.
  private static func inviteAndRead(in browser: Browser) async throws {
    try await press("People", in: browser)
    try await browser.waitForHeading("People")
    try await press("Make a code", in: browser)
    try await browser.shows("An invitation")
    try await press("Reports", in: browser)
    try await browser.waitForHeading("Reports")
    try await press("Work orders past their due date", in: browser)
    try await browser.waitForHeading("Work orders past their due date")
  }

  @Test func `ten tasks are done by keyboard alone and without scripts`() async throws {
    let shop = try await BrowserShop.shared()
    let person = shop.workshop.dispatcher
    let words = "Plain \(UUID().uuidString.prefix(8))"
    try await Browser.open { browser in
      try await browser.allowScripts(false)
      try await browser.open("\(shop.base)/c/workshop")
      // 1: sign in. 2: report work.
      try await Self.fill("E-mail address", person.email, in: browser)
      try await Self.fill("Password", person.password, in: browser)
      try await browser.press(.enter)
      try await Self.press("New work order", in: browser)
      try await Self.describe(words, in: browser)
      try await Self.press("Save", in: browser)
      try await browser.shows(words)
      // 3: start it. 4: comment it. 5: log hours.
      try await Self.press("Start", in: browser)
      try await browser.shows("In progress")
      try await Self.fill("Comment", "Ordered a belt", in: browser)
      try await Self.press("Add comment", in: browser)
      try await browser.shows("Ordered a belt")
      try await Self.logHours(from: "0200AM", to: "0300AM", in: browser)
      // 6: find it again. 7: complete it.
      try await Self.fill("Search", words, in: browser)
      try await browser.press(.enter)
      try await browser.wait(for: "the results") { try await browser.heading.contains(words) }
      try await Self.press(try await browser.find("main .rows a").text, in: browser)
      try await Self.press("Complete", in: browser)
      try await browser.shows("Completed")
      // 8: start several at once, after a preview.
      let both = try await Self.twoOrders(shop)
      try await browser.open("\(shop.base)/c/workshop/maintenance/entry?q=\(both)&status=pending")
      try await Self.fill("Which", "All", in: browser)
      try await Self.startBoth(both, of: shop, in: browser)
      // 9: invite somebody. 10: read a report.
      try await browser.open("\(shop.base)/c/workshop")
      try await Self.inviteAndRead(in: browser)
      #expect(try await browser.policyReports() == [])
    }
  }

  @Test func `work is searched, reported, started, commented, timed and completed without a mouse`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let words = "Keys \(UUID().uuidString.prefix(8))"
    try await Browser.open { browser in
      try await browser.open("/c/workshop", of: shop, as: shop.workshop.dispatcher)
      // A new work order, from any page of the console.
      try await Self.pressShortcut("n", in: browser)
      try await Self.describe(words, in: browser)
      try await browser.press(.enter, holding: .control)
      try await browser.shows(words)
      try await Self.press("Start", in: browser)
      try await browser.shows("In progress")
      try await Self.pressShortcut("c", in: browser)
      try await browser.press("Ordered a belt")
      try await browser.press(.enter, holding: .control)
      try await browser.wait(for: "the comment") {
        let isShown = try await browser.text.contains("Ordered a belt")
        let isWritten =
          try await browser.execute("return document.querySelector('#comment').value").string == ""
        return isShown && isWritten
      }
      try await Self.logHours(from: "0800AM", to: "1000AM", in: browser)
      try await Self.pressShortcut("/", in: browser)
      try await browser.press(words)
      try await browser.press(.enter)
      try await browser.wait(for: "the results") { try await browser.heading.contains(words) }
      let number = try await browser.find("main .rows strong").text
      try await Self.press(try await browser.find("main .rows a").text, in: browser)
      try await browser.wait(for: "the record") { try await browser.heading.contains(number) }
      try await Self.press("Complete", in: browser)
      try await browser.shows("Completed")
      #expect(try await browser.policyReports() == [])
    }
  }

  @Test
  func
    `several are marked, people are invited, a report is read and the language is changed without a mouse`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let both = try await Self.twoOrders(shop)
    try await Browser.open { browser in
      try await browser.open(
        "/c/workshop/maintenance/entry?q=\(both)&status=pending",
        of: shop,
        as: shop.workshop.dispatcher
      )
      try await Self.pressShortcut("j", in: browser)
      try await Self.pressShortcut("x", in: browser)
      try await Self.pressShortcut("j", in: browser)
      try await Self.pressShortcut("x", in: browser)
      try await Self.startBoth(both, of: shop, in: browser)
      try await browser.open("\(shop.base)/c/workshop")
      try await Self.inviteAndRead(in: browser)
      try await browser.open("\(shop.base)/c/workshop/me")
      _ = try await browser.tab(to: "Appearance")
      try await browser.press("Dark")
      try await Self.press("Save", in: browser)
      try await browser.wait(for: "the look") {
        try await browser.find("html").attribute("data-look") == "dark"
      }
      try await browser.open("\(shop.base)/c/workshop/me")
      _ = try await browser.tab(to: "Appearance")
      try await browser.press("As")
      try await Self.press("Save", in: browser)
      try await browser.wait(for: "the usual look") {
        try await browser.find("html").attribute("data-look") == nil
      }
    }
  }
}
