import BrowserFixtures
import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// The command `deploy/axe`: every page in every look and language, of a company with nothing, with ten records, with ten
/// thousand, and with forms that are wrong. The suite of every day takes pairs of them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct AxeEverywhereTests {
  /// What a company has.
  enum Amount: Int, CaseIterable, Sendable { case nothing = 0, few = 10, many = 10_000 }

  private static let isAsked = ProcessInfo.processInfo.environment["FETTLE_AXE"] == "all"

  /// Makes a company with machines and work orders, and opens it as its owner.
  private static func open(_ amount: Amount, of shop: BrowserShop, in browser: Browser) async throws -> String
  {
    let word = String(UUID().uuidString.prefix(8)).lowercased()
    try await browser.open("\(shop.base)/sign-up")
    try await browser.field("Your name").type("Ask Owner")
    try await browser.field("E-mail address").type("ask@\(word).example")
    try await browser.field("Password").type("a long sentence for Ask")
    try await browser.field("Company or household").type("Axe \(word)")
    try await browser.click("Create account")
    try await browser.wait(for: "the company") { try await browser.path.hasPrefix("/c/") }
    let slug = "axe-\(word)"
    guard amount != .nothing else { return slug }
    let folder = try Leftovers.folderUntilExit()
    let lines = (0..<amount.rawValue).map { number in
      "RM-\(number % 9),Hydraulics,Work \(number),2026-0\(number % 9 + 1)-11"
    }
    let file = folder.appending(path: "orders.csv")
    let text = (["machine_id,category_id,description,reported_on"] + lines).joined(separator: "\n")
    try Data(text.utf8).write(to: file)
    try await shop.shell.done(
      "record",
      "import",
      "maintenance.entry",
      file.path(percentEncoded: false),
      "--create-missing",
      "--company",
      slug
    )
    return slug
  }

  @Test(.enabled(if: isAsked, "deploy/axe is not running"), arguments: Amount.allCases)
  func `axe finds nothing on any page in any look`(_ amount: Amount) async throws {
    let shop = try await BrowserShop.shared()
    let first = amount == .nothing ? nil : "WO-1001"
    let paths = ConsolePagesTests.paths.compactMap { path -> String? in
      guard path.contains("WO-1001") || path.contains("RM-001") else { return path }
      return first.map { path.replacing("WO-1001", with: $0).replacing("RM-001", with: "RM-0") }
    }
    var pages = 0
    try await Browser.open { browser in
      let slug = try await Self.open(amount, of: shop, in: browser)
      for language in ["en", "sv"] {
        try await browser.open("\(shop.base)/c/\(slug)/me")
        try await browser.find("#language").select(language == "sv" ? "Svenska" : "English")
        try await browser.find("main form button").click()
        try await browser.wait(for: "the language") {
          try await browser.find("html").attribute("lang") == language
        }
        for width in [1_280, 360] {
          for isDark in [false, true] {
            try await browser.view(width: width, height: 800, isPhone: width < 640)
            try await browser.prefer(Preferences(isDark: isDark))
            for path in paths {
              try await browser.open("\(shop.base)/c/\(slug)\(path)")
              let heading = try await browser.heading
              // Of an error page in its place, axe would find nothing either.
              let isProblem = ["Nothing here", "Här finns inget", "That did not work"].contains(heading)
              #expect(isProblem == (path == "/no/such/page"), "\(amount) \(path): \(heading)")
              let found = try await browser.axe(expecting: heading)
              #expect(found == [], "\(amount) \(language) \(width) \(isDark ? "dark" : "light") \(path)")
              pages += 1
            }
            // A form that is wrong.
            try await browser.open("\(shop.base)/c/\(slug)/maintenance/machine/new")
            _ = try await browser.execute("document.querySelector('main form.form').noValidate = true")
            try await browser.find("main form .primary").click()
            try await browser.wait(for: "the summary") { try await !browser.all("#summary").isEmpty }
            #expect(try await browser.axe(expecting: try await browser.heading) == [])
            pages += 1
          }
        }
      }
    }
    print("axe looked at \(pages) pages of a company with \(amount.rawValue) work orders")
  }
}
