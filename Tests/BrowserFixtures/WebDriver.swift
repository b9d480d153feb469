internal import EndToEndFixtures
internal import Foundation
internal import TestDatabase
internal import TestTools
package import Values

/// A driver of browsers on a free port of 127.0.0.1: one of each engine for all suites of the process, started at first use.
///
/// It ends with the process, with its browsers; after a killed run, the next run ends them.
struct WebDriver: Sendable {
  let engine: BrowserEngine
  /// The program of the browser.
  let program: String
  private let port: Int

  /// Returns the driver of an engine, and starts it at first use.
  static func shared(_ engine: BrowserEngine) async throws -> WebDriver {
    switch engine {
    case .chromium: try await chromium.value
    case .webkit: try await webkit.value
    }
  }

  private static let chromium = Task { try await WebDriver(.chromium) }
  private static let webkit = Task { try await WebDriver(.webkit) }

  private init(_ engine: BrowserEngine) async throws {
    guard let program = engine.program else { throw NotInstalled(engine: engine) }
    self.engine = engine
    self.program = program
    let folder = try Leftovers.folderUntilExit()
    let port = try Loopback.freePort()
    self.port = port
    // FETTLE_HOME marks the processes that have to end with this one.
    var environment = [
      "PATH": "/usr/bin:/bin", "HOME": folder.path, "TMPDIR": folder.path, "FETTLE_HOME": folder.path,
    ]
    if engine == .webkit {
      environment["DISPLAY"] = try await Self.display(folder, environment)
      // Its sandbox needs rights that containers lack. The pages are those of tests.
      environment["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS"] = "1"
    }
    let driver = try Running(
      URL(filePath: engine.driver),
      ["--port=\(port)"] + (engine == .chromium ? ["--log-level=WARNING"] : ["--host=127.0.0.1"]),
      environment: environment,
      input: "",
      folder: folder
    )
    try await until {
      guard driver.isAlive else { throw Ended(said: driver.said) }
      return await (try? command("GET", "/status"))?["ready"]?.bool == true
    }
  }

  /// Starts a screen in memory, and returns its name.
  private static func display(_ folder: URL, _ environment: [String: String]) async throws -> String {
    let screen = try Running(
      URL(filePath: "/usr/bin/Xvfb"),
      ["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
      environment: environment,
      input: "",
      folder: folder
    )
    try await until {
      guard screen.isAlive else { throw Ended(said: screen.said) }
      return screen.printed.contains("\n")
    }
    return ":\(screen.printed.prefix { $0 != "\n" })"
  }

  /// The browser or its driver is missing.
  struct NotInstalled: Error, CustomStringConvertible {
    let engine: BrowserEngine
    var description: String { "\(engine) is missing: apt-get install \(engine.packages)" }
  }

  /// The driver ended instead of serving.
  private struct Ended: Error { let said: String }

  /// Sends a command of WebDriver.
  ///
  /// - Returns: the member `value` of the answer.
  /// - Throws: ``WebDriverError``.
  @discardableResult
  func command(_ method: String, _ path: String, _ body: JSONObject = [:]) async throws -> JSONValue {
    let answer = try await Loopback.request(
      method,
      path,
      port: port,
      fields: method == "POST" ? ["Content-Type": "application/json; charset=utf-8"] : [:],
      body: method == "POST" ? Array(JSONValue.object(body).text.utf8) : []
    )
    let value = try JSONReader.read(answer.body, Self.limits).object?["value"] ?? .null
    guard answer.status == 200 else {
      throw WebDriverError(
        code: value["error"]?.string ?? "",
        message: value["message"]?.string ?? answer.text
      )
    }
    return value
  }

  /// A page's text, or a picture of it, can be large.
  private static let limits = DocumentLimits(bytes: 64_000_000, nodes: 1_000_000)
}

/// An error that the driver has answered with.
package struct WebDriverError: Error, CustomStringConvertible {
  /// The code of the WebDriver standard, such as `stale element reference`.
  package let code: String
  package let message: String

  /// The first line of the message; a list of the driver's own addresses follows.
  package var description: String { "\(code): \(message.prefix { $0 != "\n" })" }

  /// True if the page may have changed meanwhile, so that a further attempt can succeed.
  var passes: Bool {
    [
      "stale element reference", "no such element", "element click intercepted", "element not interactable",
      "detached shadow root",
    ].contains(code)
      // A script of ours that ran while the page was left.
      || ["document unloaded", "context", "does not belong to the document"].contains { message.contains($0) }
  }
}

extension JSONValue {
  /// The member with a name; nil if there is none, or if the value is not an object.
  package subscript(name: String) -> JSONValue? { object?[name] }

  /// The number as an integer; nil if it is not one. Fractions are cut off.
  package var integer: Int? { number.flatMap { Double($0.text) }.map { Int($0) } }
}
