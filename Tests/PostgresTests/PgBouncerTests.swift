import Glibc
import Postgres
import TestTools
import Testing

/// A pgbouncer in transaction mode before the shared server, with fewer server connections than clients use.
struct PgBouncer {
  let folder: String
  let process: Child

  init() throws {
    let server = try PrivateServer.shared.get()
    folder = "\(server.folder)/socket/bouncer-\(UInt32.random(in: 0 ..< .max))"
    try PrivateServer.run(["mkdir", folder])
    let configuration = """
      [databases]
      postgres = host=\(server.folder)/socket port=5432 user=postgres dbname=postgres
      [pgbouncer]
      listen_port = 6432
      unix_socket_dir = \(folder)
      auth_type = any
      pool_mode = transaction
      default_pool_size = 2
      logfile = \(folder)/log
      """
    try PrivateServer.run(["sh", "-c", "cat > \(folder)/ini <<'end'\n\(configuration)\nend"])
    process = try PrivateServer.spawn(["/usr/sbin/pgbouncer", "\(folder)/ini"])
    while !Self.accepts("\(folder)/.s.PGSQL.6432") {
      guard kill(process.id, 0) == 0 else {
        throw PrivateServer.CommandFailed(command: ["pgbouncer"], status: 1)
      }
      usleep(10_000)
    }
  }

  /// True if a process listens on the socket: the file exists a moment earlier.
  private static func accepts(_ path: String) -> Bool {
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard socket >= 0 else { return false }
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  var parameters: [String: String] {
    ["host": folder, "port": "6432", "user": "postgres", "dbname": "postgres"]
  }

  func stop() {
    kill(process.id, SIGKILL)
    process.wait()
  }

  static var isInstalled: Bool { access("/usr/sbin/pgbouncer", X_OK) == 0 }
}

@Suite(.timeLimit(.minutes(60)), .enabled(if: PgBouncer.isInstalled)) struct PgBouncerTests {
  func withBouncer(prepared: Bool, _ body: (Database) async throws -> Void) async throws {
    let bouncer = try PgBouncer()
    defer { bouncer.stop() }
    try await withDatabase(
      {
        $0.parameters = bouncer.parameters
        $0.directParameters =
          (try? PrivateServer.shared.get().parameters.merging(["port": "5432"]) { $1 }) ?? [:]
        $0.poolSize = 6
        $0.prepared = prepared
      },
      body
    )
  }

  func work(_ database: Database, rounds: Int) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for n in 1...rounds {
        group.addTask {
          try await database.transaction(TransactionOptions(settings: [.text("app.n", "\(n)")])) { tx in
            let first = try tx.pipeline { p in
              p.rows("select current_setting('app.n'), \(n)", String.self, Int.self)
            }
            guard let row = try first.first, row.0 == "\(n)" else { return 0 }
            let last = try tx.commit { p in p.value("select \(row.1) + \(0)", as: Int.self) }
            return try last.first ?? 0
          }
        }
      }
      return try await group.reduce(0, +)
    }
  }

  @Test func `with prepared statements off everything works in transaction mode`() async throws {
    try await withBouncer(prepared: false) { database in
      #expect(try await work(database, rounds: 300) == 300 * 301 / 2)
      #expect(try await database.value("select \(1)", as: Int.self) == 1)
      let counted = try await database.transaction { tx in
        var counted = 0
        try tx.forEach("select generate_series(1, 50)", Int.self, fetch: 8) { _ in counted += 1 }
        return counted
      }
      #expect(counted == 50)
    }
  }

  @Test func `prepared statements are turned off when the pooler loses them`() async throws {
    try await withBouncer(prepared: true) { database in
      // Each statement may use a server process that does not know its prepared statement.
      for n in 1...50 {
        async let a = database.value("select \(n)", as: Int.self)
        async let b = database.value("select \(n)", as: Int.self)
        async let c = database.value("select \(n)", as: Int.self)
        let (x, y, z) = try await (a, b, c)
        #expect([x, y, z] == [n, n, n])
      }
      #expect(try await work(database, rounds: 300) == 300 * 301 / 2)
    }
  }

  @Test func `sessions and listeners go around the pooler`() async throws {
    try await withBouncer(prepared: false) { database in
      try await database.session { session in
        try session.execute("select pg_advisory_lock(99)")
        #expect(try session.value("select pg_advisory_unlock(99)", as: Bool.self))
      }
      var events = database.listen(["around"]).makeAsyncIterator()
      #expect(await events.next() == .resynchronise)
      try await database.execute("notify around, 'x'")
      guard case .notified(channel: "around", payload: "x", _) = await events.next() else {
        Issue.record("no notification")
        return
      }
    }
  }
}
