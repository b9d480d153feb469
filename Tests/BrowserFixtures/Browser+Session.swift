internal import Foundation
package import Testing
internal import Values

extension Browser {
  /// True if browser and driver are installed.
  package static var isInstalled: Bool { ChromeDriver.isInstalled }

  /// Opens a browser with an empty profile, and closes it after the body.
  ///
  /// A few can be open at once; others wait. Afterwards, reports about the content security policy are issues of the test,
  /// and an error of the body has an issue with what the page shows.
  package static func open<Value>(
    _ options: Options = Options(),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (Browser) async throws -> Value
  ) async throws -> Value {
    await Turns.shared.take()
    do {
      let browser = try await begin(options)
      let value = try await browser.closing(options, sourceLocation, body)
      await Turns.shared.give()
      return value
    } catch {
      await Turns.shared.give()
      throw error
    }
  }

  private static func begin(_ options: Options) async throws -> Browser {
    let driver = try await ChromeDriver.shared()
    let arguments = [
      "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--force-device-scale-factor=1",
      "--window-size=1280,900", "--lang=\(options.languages.prefix { $0 != "," })",
      // Nothing outside of this machine is asked for, whatever a page says.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ]
    let chrome: JSONObject = [
      "args": .strings(arguments), "prefs": ["intl.accept_languages": .string(options.languages)],
    ]
    let capabilities: JSONObject = [
      "goog:chromeOptions": .object(chrome), "goog:loggingPrefs": ["browser": "ALL"],
      "timeouts": ["script": 60_000, "pageLoad": 120_000, "implicit": 0],
    ]
    let answer = try await driver.command(
      "POST",
      "/session",
      ["capabilities": ["alwaysMatch": .object(capabilities)]]
    )
    guard let session = answer["sessionId"]?.string else {
      throw WebDriverError(code: "", message: answer.text)
    }
    return Browser(driver: driver, session: session)
  }

  private func closing<Value>(
    _ options: Options,
    _ sourceLocation: SourceLocation,
    _ body: (Browser) async throws -> Value
  ) async throws -> Value {
    do {
      let value = try await body(self)
      if !options.mayBreakPolicy {
        for report in try await policyReports() {
          Issue.record("a page broke its policy: \(report)", sourceLocation: sourceLocation)
        }
      }
      try await command("DELETE", "")
      return value
    } catch {
      if !(error is BrowserFailure) {
        Issue.record(
          "\(await failure("the test ended with an error: \(error)"))",
          sourceLocation: sourceLocation
        )
      }
      _ = try? await command("DELETE", "")  // the driver ends the others with itself
      throw error
    }
  }

  /// The messages of the console since the last call, such as errors of scripts.
  package func log() async throws -> [String] {
    let entries = try await command("POST", "/se/log", ["type": "browser"]).array ?? []
    return entries.compactMap { $0["message"]?.string }
  }

  /// The messages about the content security policy since the last call of this or of ``log()``.
  package func policyReports() async throws -> [String] {
    try await log().filter { message in
      ["Content Security Policy", "TrustedHTML", "TrustedScript"].contains { message.contains($0) }
    }
  }
}

/// Limits the browsers that are open at once, each of which is a dozen processes.
private actor Turns {
  static let shared = Turns()

  private var free = 3
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    guard free == 0 else { return free -= 1 }
    await withCheckedContinuation { waiting.append($0) }
  }

  func give() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
