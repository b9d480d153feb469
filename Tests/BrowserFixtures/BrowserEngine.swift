internal import Foundation
internal import Values

/// A browser that tests drive.
package enum BrowserEngine: Sendable, CaseIterable {
  /// Debian's Chromium, which every test uses.
  case chromium
  /// Debian's WebKitGTK with its MiniBrowser, close to the browser of iPhones. It lacks Chromium's protocol, and with it
  /// the settings of ``Preferences``, scripts switched off and reports about policies; no window is less than 450 wide.
  case webkit

  /// The packages of Debian.
  var packages: String {
    switch self {
    case .chromium: "chromium chromium-headless-shell chromium-driver"
    case .webkit: "webkit2gtk-driver xvfb"
    }
  }

  /// The program that speaks WebDriver.
  var driver: String {
    switch self {
    case .chromium: "/usr/bin/chromedriver"
    case .webkit: "/usr/bin/WebKitWebDriver"
    }
  }

  /// The program of the browser; nil if it is not installed.
  var program: String? {
    let libraries = "/usr/lib"
    let folders =
      switch self {
      case .chromium: [Self.shell, Self.whole]
      case .webkit:
        ((try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? [])
          .map { "\(libraries)/\($0)/webkit2gtk-4.1/MiniBrowser" }
      }
    return folders.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Chromium without windows: the same engine of pages, and a third of the processor time to start. It keeps no profile,
  /// knows one language, and wakes no closed page. Not the script of Debian in `/usr/bin`: the driver would end the script
  /// alone, and leave every browser running to the end of the tests.
  private static let shell = "/usr/lib/chromium/chromium-headless-shell"
  private static let whole = "/usr/bin/chromium"

  /// The greatest number of browsers that are open at once: each is a dozen processes, and WebKit's driver has one.
  var limit: Int {
    switch self {
    case .chromium: 3
    case .webkit: 1
    }
  }

  /// What is asked of the driver for a browser.
  func capabilities(_ options: Browser.Options, program: String) -> JSONObject {
    switch self {
    case .chromium:
      let kept = options.profile.map { ["--user-data-dir=\($0.path)"] } ?? []
      let isWhole = options.profile != nil || options.languages != "en" || options.isWhole
      let program = isWhole ? Self.whole : program
      let headless = program == Self.shell ? [] : ["--headless=new"]
      let arguments =
        kept + headless + [
          "--no-sandbox", "--disable-dev-shm-usage", "--force-prefers-reduced-motion",
          "--force-device-scale-factor=1",
          "--window-size=1280,900", "--lang=\(options.languages.prefix { $0 != "," })",
          // Nothing outside of this machine is asked for, whatever a page says.
          "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
        ]
      return [
        "goog:chromeOptions": [
          "binary": .string(program), "args": .strings(arguments),
          "prefs": ["intl.accept_languages": .string(options.languages)],
        ],
        "goog:loggingPrefs": ["browser": "ALL"],
      ]
    case .webkit:
      return ["webkitgtk:browserOptions": ["binary": .string(program), "args": ["--automation"]]]
    }
  }
}
