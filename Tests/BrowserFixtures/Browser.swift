package import Foundation
package import Values

/// A browser without a screen, which a test drives as a person would.
///
///     try await Browser.open { browser in
///       try await browser.open("\(shop.base)/sign-in")
///       try await browser.field("E-mail").type("ana@workshop.example")
///       try await browser.click("Sign in")
///       #expect(try await browser.heading == "Today")
///     }
///
/// Everything that finds something waits until it is there. What does not appear in time is a ``BrowserFailure``, which
/// says what the page shows instead.
package struct Browser: Sendable, PageScope {
  /// What a browser begins with.
  package struct Options: Sendable {
    package var engine = BrowserEngine.chromium
    /// The languages of the person, the preferred one first, as `sv,en`. WebKit takes those of the machine.
    package var languages = "en"
    /// True if the page may break its content security policy; else that is an issue of the test.
    package var mayBreakPolicy = false
    /// True for the browser with all that is beside pages, such as the sending of what waits while no page is open.
    package var isWhole = false
    /// The folder with what the browser keeps, for tests that open it again; nil for a new one that is removed.
    package var profile: URL?

    package init(_ engine: BrowserEngine = .chromium) { self.engine = engine }
  }

  let driver: WebDriver
  let session: String
  /// The folder with what this browser keeps; nil for WebKit.
  package let profile: URL?

  package var browser: Browser { self }
  /// True for the browser with Chromium's own protocol.
  package var isChromium: Bool { driver.engine == .chromium }
  package var root: JSONValue { .null }

  /// Sends a command of WebDriver to this browser.
  ///
  /// - Returns: the member `value` of the answer.
  /// - Throws: ``WebDriverError``.
  @discardableResult
  package func command(_ method: String, _ path: String, _ body: JSONObject = [:]) async throws -> JSONValue {
    try await driver.command(method, "/session/\(session)\(path)", body)
  }

  /// Runs a command of Chromium's own protocol, for what WebDriver lacks. Events do not arrive.
  @discardableResult
  package func chromium(_ name: String, _ parameters: JSONObject = [:]) async throws -> JSONValue {
    try await command("POST", "/goog/cdp/execute", ["cmd": .string(name), "params": .object(parameters)])
  }

  /// Runs the body of a function in the page, which finds the values in `arguments`. Works with scripts switched off too.
  @discardableResult
  package func execute(_ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
    try await command("POST", "/execute/sync", ["script": .string(script), "args": .array(arguments)])
  }

  /// Runs the body of a function in the page, which calls the last of its `arguments` with the result.
  @discardableResult
  package func executeWaiting(_ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
    try await command("POST", "/execute/async", ["script": .string(script), "args": .array(arguments)])
  }
}
