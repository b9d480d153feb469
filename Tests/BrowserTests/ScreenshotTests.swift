import BrowserFixtures
import Foundation
import Testing

/// The command `deploy/screenshots`, which names paths and a folder in the environment; a picture of each.
@Suite(.timeLimit(.minutes(60))) struct ScreenshotTests {
  private static let variables = ProcessInfo.processInfo.environment.filter {
    $0.key.hasPrefix("FETTLE_SCREENSHOT_")
  }

  @Test(.enabled(if: variables["FETTLE_SCREENSHOT_PATHS"] != nil, "deploy/screenshots names no paths"))
  func `pictures of pages at two widths, light and dark, are written to a folder`() async throws {
    let paths = try #require(Self.variables["FETTLE_SCREENSHOT_PATHS"]).split(separator: "\n").map(
      String.init
    )
    let folder = URL(filePath: try #require(Self.variables["FETTLE_SCREENSHOT_FOLDER"]))
    let role = Self.variables["FETTLE_SCREENSHOT_ROLE"] ?? "owner"
    var options = Browser.Options()
    options.languages = Self.variables["FETTLE_SCREENSHOT_LANGUAGES"] ?? "en"
    options.mayBreakPolicy = true
    try await Browser.open(options) { browser in
      for (number, path) in paths.enumerated() {
        for viewport in [Viewport.desk, .phone] {
          for isDark in [false, true] {
            try await browser.view(viewport)
            try await browser.prefer(Preferences(isDark: isDark, reducesMotion: true))
            try await open(path, as: role, in: browser)
            let words = path.split { !$0.isLetter && !$0.isNumber }.suffix(4).joined(separator: "-")
            let place = "\(number + 1)-\(words)-\(viewport.width)"
            let name = "\(number < 9 ? "0" : "")\(place)-\(isDark ? "dark" : "light").png"
            let file = folder.appending(path: name)
            try await browser.screenshot(to: file, wholePage: true)
            #expect(Picture(data: try Data(contentsOf: file)).size != nil)
          }
        }
      }
    }
  }

  /// Opens an address as it is, and a path in the shop, as a person of the workshop or as nobody.
  private func open(_ path: String, as role: String, in browser: Browser) async throws {
    if path.contains("://") { return try await browser.open(path) }
    let shop = try await BrowserShop.shared()
    guard role != "nobody" else { return try await browser.open("\(shop.base)\(path)") }
    let person = try #require(
      shop.workshop.people.first { $0.role == role },
      "no person has the role \(role)"
    )
    try await browser.open(path, of: shop, as: person)
  }
}
