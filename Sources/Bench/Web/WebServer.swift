internal import Apps
internal import Cluster
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// `fettle serve` as a process of its own, and an API token for it.
struct WebServer: Sendable {
  let process: ChildProcess
  let port: Int
  /// The header field with the token.
  let authorization: String

  var address: String { "http://127.0.0.1:\(port)" }

  /// Starts a server on the benchmark's database, and returns when it is ready.
  ///
  /// - Parameters:
  ///   - token: the API token of the requests.
  ///   - limits: the options of the rate limiter.
  static func start(_ server: BenchServer, token: String, limits: [String]) async throws -> WebServer {
    let port = try Loopback.freePort()
    let home = server.cluster.directory
    let process = try ChildProcess(
      try BuiltCommand.find("fettle").path,
      [
        "serve", "--listen", "127.0.0.1:\(port)", "--trusted-proxy", "127.0.0.0/8", "--database",
        "host=\(server.cluster.socketDirectory) port=\(server.cluster.port) dbname=\(BenchServer.database) user=fettle_app",
      ] + limits,
      environment: ["FETTLE_KEY_FILE": "\(home)/fettle.key", "FETTLE_BLOBS": "\(home)/files"],
      log: "\(home)/serve.log"
    )
    let started = WebServer(process: process, port: port, authorization: "Authorization: Bearer \(token)")
    for _ in 0..<1_500 {
      if let descriptor = try? Loopback.connect(port: port) {  // refused until the server listens
        let status = Loopback.ask(descriptor, "/readyz")
        Loopback.end(descriptor)
        if status == 200 { return started }
      }
      guard process.isRunning else { break }
      try await Task.sleep(for: .milliseconds(20))
    }
    try await process.stop()
    throw Tool.Failure(description: "`fettle serve` is not ready:\n\(process.output)")
  }

  /// Runs a body with a server, then stops the server.
  static func with<T>(
    _ server: BenchServer,
    token: String,
    limits: [String] = WebServer.unlimited,
    _ body: (WebServer) async throws -> T
  ) async throws -> T {
    let started = try await start(server, token: token, limits: limits)
    do {
      let value = try await body(started)
      try await started.process.stop()
      return value
    } catch {
      try await started.process.stop()
      throw error
    }
  }

  /// The options for measurements without rate limits.
  static let unlimited = ["--rate-limits", "off"]
  /// The options for limits that are enforced but never reached: budgets leased in blocks.
  static let leased = ["--rate-limits", "leased", "--rate-factor", "1000"]
  /// The options for limits that are enforced but never reached: each request takes from the database.
  static let exact = ["--rate-limits", "exact", "--rate-factor", "1000"]
}
