import Glibc
import Synchronization
import TestTools

/// A private PostgreSQL cluster for these tests, in a folder of its own, reached through a Unix socket.
///
/// Started once for all suites that share it; stopped and removed when the test process ends.
final class PrivateServer: Sendable {
  static let binaries = "/usr/lib/postgresql/15/bin"

  /// The shared server; each test uses its own schema or names.
  static let shared = Result { try PrivateServer() }

  let folder: String
  private let isRunning: Mutex<Bool>

  init() throws {
    folder = "/tmp/postgres-tests-\(getpid())-\(UInt32.random(in: 0 ..< .max))"
    isRunning = Mutex(false)
    try Self.run(["mkdir", "-m", "700", folder], asRoot: true)
    try Self.run(["mkdir", "-m", "777", "\(folder)/socket"], asRoot: true)
    if getuid() == 0 { try Self.run(["chown", "-R", "postgres:postgres", folder], asRoot: true) }
    try Self.run(["chmod", "711", folder], asRoot: true)
    try Self.run([
      "\(Self.binaries)/initdb", "-D", "\(folder)/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
      "--locale=C.UTF-8", "--no-sync",
    ])
    Cleanup.add(self)
    try start()
  }

  /// The connection parameters.
  var parameters: [String: String] {
    ["host": "\(folder)/socket", "user": "postgres", "dbname": "postgres"]
  }

  var socket: String { "\(folder)/socket/.s.PGSQL.5432" }

  func start() throws {
    try Self.run([
      "\(Self.binaries)/pg_ctl", "-D", "\(folder)/data", "-w", "-t", "600", "-l", "\(folder)/data/log", "-o",
      "-k \(folder)/socket -c listen_addresses= -c fsync=off -c max_connections=100", "start",
    ])
    isRunning.withLock { $0 = true }
  }

  func stop(_ mode: String = "fast") throws {
    try Self.run(["\(Self.binaries)/pg_ctl", "-D", "\(folder)/data", "-w", "-m", mode, "stop"])
    isRunning.withLock { $0 = false }
  }

  func discard() {
    do {
      if isRunning.withLock({ $0 }) { try stop("immediate") }
      try Self.run(["rm", "-rf", folder], asRoot: true)
    } catch {
      print("left behind: \(folder): \(error)")
    }
  }

  /// Runs a command as the user that may run a server, and waits for it.
  static func run(_ command: [String], asRoot: Bool = false) throws {
    let status = try spawn(command, asRoot: asRoot).wait()
    guard status == 0 else { throw CommandFailed(command: command, status: status) }
  }

  /// Starts a command without input and output.
  static func spawn(_ command: [String], asRoot: Bool = false) throws -> Child {
    let mustChange = getuid() == 0 && !asRoot
    let user = mustChange ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    return try Child("/usr/bin/env", user + command, folder: "/")
  }

  struct CommandFailed: Error {
    let command: [String]
    let status: Int32
  }
}

/// Work to do when the test process ends.
enum Cleanup {
  private static let servers = Mutex<[PrivateServer]>([])

  static func add(_ server: PrivateServer) {
    servers.withLock { servers in
      if servers.isEmpty {
        atexit { Cleanup.servers.withLock { $0 }.forEach { $0.discard() } }
      }
      servers.append(server)
    }
  }
}
