internal import Foundation
internal import TestDatabase
internal import Values

extension Browser {
  /// Opens an address, and waits until the page has loaded.
  package func open(_ address: String) async throws {
    try await command("POST", "/url", ["url": .string(address)])
  }

  package func reload() async throws { try await command("POST", "/refresh") }

  package func back() async throws { try await command("POST", "/back") }

  package func forward() async throws { try await command("POST", "/forward") }

  /// The address of the page.
  package var address: String { get async throws { try await command("GET", "/url").string ?? "" } }

  /// The path of the page's address, with its query.
  package var path: String {
    get async throws { try await execute("return location.pathname + location.search").string ?? "" }
  }

  package var title: String { get async throws { try await command("GET", "/title").string ?? "" } }

  /// The text of the page's `h1`; empty without one.
  package var heading: String {
    get async throws {
      try await execute("return document.querySelector('h1')?.innerText ?? ''").string ?? ""
    }
  }

  /// The visible text of the page.
  package var text: String {
    get async throws { try await execute("return document.body?.innerText ?? ''").string ?? "" }
  }

  /// The visible text of the page's main part, or of all of it.
  var mainText: String {
    get async throws {
      try await execute("return (document.querySelector('main') ?? document.body)?.innerText ?? ''").string
        ?? ""
    }
  }

  /// The HTML of the page as it is now.
  package var source: String { get async throws { try await command("GET", "/source").string ?? "" } }

  /// True if nothing makes the page wider than its window, so that it scrolls sideways.
  package var fitsWidth: Bool {
    get async throws {
      try await execute("return document.scrollingElement.scrollWidth <= innerWidth").bool ?? false
    }
  }

  /// Waits until a condition holds.
  ///
  /// - Parameters:
  ///   - expectation: what is waited for, such as `an entry`, for the message of the failure.
  ///   - limit: a time that a passing test never needs.
  /// - Throws: ``BrowserFailure``.
  package func wait(
    for expectation: String,
    within limit: Duration = min(WaitLimit.limit, .seconds(60)),
    _ holds: () async throws -> Bool
  ) async throws {
    var last = ""
    do {
      try await until(within: limit) {
        do {
          return try await holds()
        } catch let error as WebDriverError where error.passes {
          last = " (\(error))"
          return false
        }
      }
    } catch is NeverHeld {
      throw await failure("the page has not shown \(expectation)\(last)")
    }
  }

  /// Waits until the page's `h1` has a text.
  package func waitForHeading(_ text: String) async throws {
    try await wait(for: "the heading \"\(text)\"") { try await heading == text }
  }

  /// Waits until the page has another path.
  ///
  /// - Parameter path: the path with its query, or the beginning of it.
  package func waitForPath(_ path: String) async throws {
    try await wait(for: "the path \(path)") { try await self.path.hasPrefix(path) }
  }
}
