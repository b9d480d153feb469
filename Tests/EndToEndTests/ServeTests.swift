import EndToEndFixtures
import Foundation
import Postgres
import TestDatabase
import Testing

/// Server processes that start, answer and end.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ServeTests {
  @Test func `a server answers, keeps its log free of people, and drains on SIGTERM`() async throws {
    try await Shell.open { shell in
      let server = try shell.begin("serve", "--listen", "0", "--log-format", "json")
      try await server.says("serving the API")
      let port = try #require(Self.port(in: server.said))
      let alive = try await shell.program("/usr/bin/curl", ["-sS", "http://127.0.0.1:\(port)/livez"])
      #expect(alive.output == "ok\n")
      let ready = try await shell.program("/usr/bin/curl", ["-sS", "http://127.0.0.1:\(port)/readyz"])
      #expect(ready.output == "ok\n")
      let refused = try await shell.program(
        "/usr/bin/curl",
        [
          "-sS", "-w", " %{http_code}", "-H", "Authorization: Bearer stolen",
          "http://127.0.0.1:\(port)/v1/me",
        ]
      )
      #expect(refused.output.hasSuffix(" 401"))
      try await until { server.said.contains(#""/v1/me""#) || server.said.contains(#"\/v1\/me"#) }
      #expect(!server.said.contains("stolen"))
      server.signal(SIGTERM)
      #expect(try await server.end().status == 0)
    }
  }

  @Test(arguments: ["fettle_admin", "fettle_worker", "fettle_migrator"])
  func `a server refuses the logins of operators and workers`(user: String) async throws {
    try await Shell.open { shell in
      let other = Shell(folder: shell.folder, environment: shell.environment.merging(["PGUSER": user]) { $1 })
      let outcome = try await other.fettle("serve", "--listen", "0")
      #expect(outcome.status == 4)
      #expect(outcome.errors.hasPrefix("error[login_too_powerful]: "), "\(outcome.errors)")
    }
  }

  @Test func `a server refuses an address that others reach without TLS`() async throws {
    let outcome = try await FettleProcess.run("serve", "--listen", "0.0.0.0:0")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--public-url"))
    let header = try await FettleProcess.run("serve", "--user-header", "X-User")
    #expect(header.status == 64)
  }

  @Test func `a server refuses a schema that is older than the program`() async throws {
    let database = try await TestDatabase.make()
    let owner = database.connect(as: "postgres", poolSize: 1)
    try await owner.execute("delete from core.routine where name = 'core.take_rates'")
    await owner.close()
    try await Shell.open(database) { shell in
      let outcome = try await shell.fettle("serve", "--listen", "0")
      #expect(outcome.status == 7)
      #expect(outcome.errors.contains("fettle migrate"), "\(outcome.errors)")
    }
  }

  /// Returns the port in a log line.
  static func port(in log: String) -> Int? {
    log.split(separator: "\n").first { $0.contains("serving the API") }?
      .firstMatch(of: /"port":\s*"?(\d+)/).flatMap { Int($0.1) }
  }
}
