import Cluster
import EndToEndFixtures
import Foundation
import TestDatabase
import TestTools
import Testing

/// The whole product on an embedded PostgreSQL.
@Suite(.serialized, .timeLimit(.minutes(60))) struct UpTests {
  @Test func `up makes everything, stops PostgreSQL when it is killed, and stops when told`() async throws {
    try await Shell.embedded { shell in
      let early = try await shell.fettle("entry", "list")
      #expect(early.status == 7)
      #expect(early.errors.contains("hint: run `fettle up`"))

      let first = try shell.begin("up")
      try await first.says("Fettle is up")
      #expect(try await shell.rows("entry", "list").count == 6)
      #expect(try await shell.done("doctor").status == 0)
      try await worked(shell, "start", "WO-1003", notice: "Work has started on RM-002")
      let server = shell.serverID
      first.signal(SIGKILL)
      #expect(try await first.end().status == -SIGKILL)
      // At once: it takes PostgreSQL over, or waits until it has stopped and starts it again.
      let second = try shell.begin("up")
      try await second.says("Fettle is up")
      #expect(server != nil && shell.serverID != nil)
      try await together(shell, second)
      #expect(shell.serverID == nil)
      let late = try await shell.fettle("entry", "list")
      #expect(late.status == 7)
      #expect(late.errors.contains("hint: start it with `fettle up`"))

      #expect(try await shell.done("up", "--detach").errors.contains("`fettle down` stops PostgreSQL"))
      #expect(try await shell.rows("entry", "list").count == 6)
      #expect(try await shell.rows("job", "list", "--where", "state=dead").isEmpty)
      try await shell.done("down")
      #expect(shell.serverID == nil)
      #expect(try await shell.done("down").errors == "the embedded PostgreSQL is not running\n")
    }
  }

  @Test func `a server that dies leaves no PostgreSQL behind, unless another uses it`() async throws {
    try await Shell.embedded { shell in
      let one = try shell.begin("up", "--no-demo", "--http", "none")
      try await one.says("Fettle is up")
      let other = try shell.begin("up", "--no-demo", "--http", "none")
      try await other.says("Fettle is up")
      let server = try #require(shell.serverID)
      one.signal(SIGKILL)
      #expect(try await one.end().status == -SIGKILL)
      let left = try await shell.done("down", "--unless-used")
      #expect(left.errors == "PostgreSQL keeps running: a `fettle up` uses it\n")
      #expect(shell.serverID == server)
      other.signal(SIGKILL)
      #expect(try await other.end().status == -SIGKILL)
      try await until { shell.serverID == nil }
    }
  }

  /// Applies a transition as Ana, and waits until the worker of `up` has notified Eva.
  private func worked(_ shell: Shell, _ transition: String, _ entry: String, notice: String) async throws {
    try await shell.done("entry", "do", transition, entry, "--as", "ana")
    try await until {
      try await shell.rows("inbox", "list", "--as", "eva").contains { $0["title"] as? String == notice }
    }
  }

  /// Two concurrent instances share the server, and the last one stops it.
  private func together(_ shell: Shell, _ one: Running) async throws {
    let other = try shell.begin("up")
    try await other.says("Fettle is up")
    one.signal(SIGINT)
    let left = try await one.end()
    #expect(left.status == 0)
    #expect(left.errors.contains("PostgreSQL keeps running for another `fettle up`"))
    #expect(try await shell.rows("entry", "list").count == 6)
    other.signal(SIGTERM)
    let last = try await other.end()
    #expect(last.status == 0)
    #expect(last.errors.hasSuffix("stopping PostgreSQL\n"))
  }

  @Test func `up brings a killed PostgreSQL back, and ends when somebody stops it`() async throws {
    try await Shell.embedded { shell in
      let up = try shell.begin("up")
      try await up.says("Fettle is up")
      try await worked(shell, "start", "WO-1003", notice: "Work has started on RM-002")
      let server = try #require(shell.serverID)
      kill(server, SIGKILL)
      try await up.says("PostgreSQL is back")
      #expect(shell.serverID != server)
      try await worked(shell, "complete", "WO-1003", notice: "Work on RM-002 is completed")
      try await shell.done("down")
      let end = try await up.end()
      #expect(end.status == 0)
      #expect(end.errors.contains("PostgreSQL was stopped by somebody else"))
      #expect(shell.serverID == nil)
    }
  }

  @Test func `two first starts at once make one installation`() async throws {
    try await Shell.embedded { shell in
      let one = try shell.begin("up")
      let other = try shell.begin("up")
      try await one.says("Fettle is up")
      try await other.says("Fettle is up")
      #expect(try await shell.rows("company", "list").count == 1)
      #expect(try await shell.rows("entry", "list").count == 6)
      #expect(try await shell.rows("machine", "list").count == 4)
      one.signal(SIGTERM)
      #expect(try await one.end().status == 0)
      other.signal(SIGTERM)
      #expect(try await other.end().status == 0)
      #expect(shell.serverID == nil)
    }
  }

  @Test func `links of commands lead to the server that was started last`() async throws {
    try await Shell.embedded { shell in
      let port = try Loopback.freePort()
      let up = try shell.begin("up", "--http", "\(port)")
      try await up.says("The API is at http://127.0.0.1:\(port)/v1/about")
      let people = try await shell.rows("member", "list").compactMap { $0["email"] as? String }
      let ana = try #require(people.first { $0.hasPrefix("ana") })
      let made = try await shell.rows("member", "password-link", ana)
      let link = try #require(made.first?["link"] as? String)
      #expect(link.hasPrefix("http://127.0.0.1:\(port)/reset#"), "\(link)")
      let listen = "127.0.0.1:\(try Loopback.freePort())"
      let server = try shell.begin("serve", "--listen", listen, "--public-url", "https://fettle.example")
      let file = "\(shell.environment["FETTLE_HOME"] ?? "")/server.url"
      try await until {
        (try? String(contentsOfFile: file, encoding: .utf8)) == "https://fettle.example\n"
      }
      server.signal(SIGTERM)
      _ = try await server.end()
      let other = try await shell.rows("member", "password-link", ana)
      #expect((other.first?["link"] as? String)?.hasPrefix("https://fettle.example/reset#") == true)
      up.signal(SIGTERM)
      #expect(try await up.end().status == 0)
    }
  }

  @Test func `reports are read with psql, on the socket and on a loopback port with a password`() async throws
  {
    try await Shell.embedded { shell in
      let port = try Loopback.freePort()
      let up = try shell.begin("up", "--port", "\(port)", "--no-demo")
      try await up.says("Ctrl-C stops it")
      for line in [
        "psql -h ", "-U fettle_admin -d fettle\n", "-U fettle_report -d fettle\n",
        "psql postgresql://fettle_report@127.0.0.1:\(port)/fettle\n",
      ] {
        #expect(up.said.contains(line), "\(line): \(up.said)")
      }
      let query = "select current_user, current_setting('search_path'), count(*) >= 0 from v1_backlog"
      let socket = try await shell.done("psql", "--role", "report", "--", "-Atc", query)
      #expect(socket.output == "fettle_report|report|t\n")
      let admin = try await shell.done("psql", "--", "-Atc", "select current_user")
      #expect(admin.output == "fettle_admin\n")

      let home = shell.environment["FETTLE_HOME"] ?? ""
      let file = "\(home)/report.password"
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      for (user, password, status) in [
        ("fettle_report", "$(cat \(file))", 0), ("fettle_report", "wrong", 2), ("fettle_admin", "", 2),
        ("postgres", "", 2),
      ] as [(String, String, Int32)] {
        let outcome = try await shell.bash(
          "PGPASSWORD=\"\(password)\" psql -w postgresql://\(user)@127.0.0.1:\(port)/fettle -Atc 'select 1'"
        )
        #expect(outcome.status == status, "\(user): \(outcome.errors)")
      }
      let other = try await shell.fettle("up", "--port", "\(port + 1)", "--detach")
      #expect(
        other.status == 7 && other.errors.contains("hint: stop it with `fettle down`"),
        "\(other.errors)"
      )
      up.signal(SIGINT)
      #expect(try await up.end().status == 0)

      try await shell.done("up", "--detach", "--no-demo")
      let closed = try await shell.bash(
        "psql -w postgresql://fettle_report@127.0.0.1:\(port)/fettle -c 'select 1'"
      )
      #expect(closed.status == 2 && closed.errors.contains("refused"), "\(closed.errors)")
    }
  }
}

extension Shell {
  /// The process id of the embedded server; nil if none is running.
  fileprivate var serverID: Int32? {
    EmbeddedCluster(home: ClusterHome(directory: environment["FETTLE_HOME"] ?? "")).serverID
  }
}
