internal import Foundation
package import Testing
internal import Values

extension Browser {
  /// Opens a browser with an empty profile, and closes it after the body.
  ///
  /// A few can be open at once; others wait. Afterwards, reports about the content security policy are issues of the test,
  /// and an error of the body has an issue with what the page shows.
  package static func open<Value>(
    _ options: Options = Options(),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (Browser) async throws -> Value
  ) async throws -> Value {
    let turns = Turns.of(options.engine)
    await turns.take()
    do {
      let browser = try await begin(options)
      let value = try await browser.closing(options, sourceLocation, body)
      await turns.give()
      return value
    } catch {
      await turns.give()
      throw error
    }
  }

  /// Opens a browser with a profile, and kills all of its processes after the body, like a phone whose battery is empty.
  package static func openUntilPowerLoss<Value>(
    _ options: Options,
    _ body: (Browser) async throws -> Value
  ) async throws -> Value {
    let turns = Turns.of(options.engine)
    await turns.take()
    do {
      let browser = try await begin(options)
      let value: Value
      do {
        value = try await body(browser)
      } catch {
        if !(error is BrowserFailure) {
          Issue.record("\(await browser.failure("the test ended with an error: \(error)"))")
        }
        _ = try? await browser.command("DELETE", "")
        throw error
      }
      if let profile = options.profile { PowerLoss.kill(profile) }
      _ = try? await browser.command("DELETE", "")
      await turns.give()
      return value
    } catch {
      await turns.give()
      throw error
    }
  }

  private static func begin(_ options: Options) async throws -> Browser {
    let driver = try await WebDriver.shared(options.engine)
    var capabilities = options.engine.capabilities(options, program: driver.program)
    capabilities["timeouts"] = ["script": 60_000, "pageLoad": 120_000, "implicit": 0]
    let answer = try await driver.command(
      "POST",
      "/session",
      ["capabilities": ["alwaysMatch": .object(capabilities)]]
    )
    guard let session = answer["sessionId"]?.string else {
      throw WebDriverError(code: "", message: answer.text)
    }
    let profile = answer["capabilities"]?["chrome"]?["userDataDir"]?.string.map { URL(filePath: $0) }
    let browser = Browser(driver: driver, session: session, profile: profile)
    if options.engine == .webkit { try await browser.view(.desk) }
    return browser
  }

  private func closing<Value>(
    _ options: Options,
    _ sourceLocation: SourceLocation,
    _ body: (Browser) async throws -> Value
  ) async throws -> Value {
    do {
      let value = try await body(self)
      if !options.mayBreakPolicy, options.engine == .chromium {
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

/// Limits the browsers that are open at once.
private actor Turns {
  private static let all = Dictionary(
    uniqueKeysWithValues: BrowserEngine.allCases.map { ($0, Turns($0.limit)) }
  )

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  private init(_ limit: Int) { free = limit }

  static func of(_ engine: BrowserEngine) -> Turns { all[engine] ?? Turns(engine.limit) }

  func take() async {
    guard free == 0 else { return free -= 1 }
    await withCheckedContinuation { waiting.append($0) }
  }

  func give() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
