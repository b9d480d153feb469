internal import EndToEndFixtures
internal import Foundation
internal import TestDatabase
internal import TestTools
package import Values

/// Debian's chromedriver on a free port of 127.0.0.1: one for all suites of the process, started at first use.
///
/// It ends with the process, with its browsers; after a killed run, the next run ends them.
struct ChromeDriver: Sendable {
  private let port: Int
  /// The folder of its log, and of the profiles of its browsers.
  let folder: URL

  /// Returns the driver, and starts it at first use.
  static func shared() async throws -> ChromeDriver { try await running.value }

  private static let running = Task { try await ChromeDriver() }

  /// True if browser and driver are installed.
  static var isInstalled: Bool {
    ["chromium", "chromedriver"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
  }

  private init() async throws {
    guard Self.isInstalled else { throw NotInstalled() }
    folder = try Leftovers.folderUntilExit()
    let port = try Loopback.freePort()
    self.port = port
    let driver = try Running(
      URL(filePath: "/usr/bin/chromedriver"),
      ["--port=\(port)", "--log-level=WARNING"],
      // FETTLE_HOME marks the processes that have to end with this one.
      environment: [
        "PATH": "/usr/bin:/bin", "HOME": folder.path, "TMPDIR": folder.path, "FETTLE_HOME": folder.path,
      ],
      input: "",
      folder: folder
    )
    try await until {
      guard driver.isAlive else { throw Ended(said: driver.said) }
      return await (try? command("GET", "/status"))?["ready"]?.bool == true
    }
  }

  /// Chromium and its driver are missing.
  struct NotInstalled: Error, CustomStringConvertible {
    let description = "chromium or chromedriver is missing: apt-get install chromium chromium-driver"
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
      || message.contains("document unloaded") || message.contains("context")
  }
}

extension JSONValue {
  /// The member with a name; nil if there is none, or if the value is not an object.
  package subscript(name: String) -> JSONValue? { object?[name] }

  /// The number as an integer; nil if it is not one. Fractions are cut off.
  package var integer: Int? { number.flatMap { Double($0.text) }.map { Int($0) } }
}
