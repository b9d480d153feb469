import EndToEndFixtures
import Foundation
import Postgres
import TestDatabase
import Testing

/// Two servers with streaming replication: what a standby answers, and what happens when it becomes the primary.
@Suite(.serialized, .timeLimit(.minutes(60))) struct StandbyTests {
  @Test func `on a standby reading commands work, and writing ones say what to do`() async throws {
    try await StandbyPair.open { pair in
      try await Shell.open(pair.database) { shell in
        try await shell.makeCompany()
        let standby = Self.shell(shell, pair.environmentOfStandby)
        try await until { try await standby.fettle("member", "list").status == 0 }
        let reading = [
          ["company", "list"], ["member", "list"], ["schedule", "list"], ["schedule", "next"],
          ["export"],
          ["webhook", "list"], ["job", "list"], ["queue", "list"], ["workflow", "list"], ["audit", "list"],
          ["record", "list", "maintenance.machine"], ["machine", "list"], ["report", "run", "backlog"],
          ["role", "list"],
        ]
        for arguments in reading {
          let outcome = try await standby.fettle(arguments: arguments)
          #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
        }
        let writing = [
          ["machine", "add", "RM-009"],
          ["member", "add", "ana@acme.example", "--name", "Ana", "--role", "user"],
          ["token", "create", "reader", "--scope", "maintenance.machine.read", "--for", "eva"],
          ["schedule", "pause", "history.seal"],
          ["company", "suspend", "acme"],
        ]
        for arguments in writing {
          let outcome = try await standby.fettle(arguments: arguments)
          #expect(outcome.status == 7, "\(arguments): \(outcome.errors)")
          #expect(outcome.errors.contains("unavailable"), "\(arguments): \(outcome.errors)")
          #expect(
            outcome.errors.contains("target_session_attrs=read-write"),
            "\(arguments): \(outcome.errors)"
          )
        }
      }
    }
  }

  @Test func `a server on a standby is not ready, and answers writes with 503`() async throws {
    try await StandbyPair.open { pair in
      try await Shell.open(pair.database) { shell in
        try await shell.makeCompany()
        let token = try await Self.token(shell)
        // Makes the keys, whose fingerprint a server on a standby cannot write.
        try await shell.done("invite", "create", "--role", "viewer")
        let standby = Self.shell(shell, pair.environmentOfStandby)
        try await until {
          try await standby.fettle("invite", "list", "--output", "jsonl").output.contains("viewer")
        }
        let server = try standby.begin("serve", "--listen", "0", "--log-format", "json")
        try await server.says("serving the API")
        let base = "http://127.0.0.1:\(try #require(ServeTests.port(in: server.said)))"
        let ready = try await standby.program(
          "/usr/bin/curl",
          ["-sS", "-o", "/dev/null", "-w", "%{http_code}", "\(base)/readyz"]
        )
        #expect(ready.output == "503")
        let write = try await standby.bash(Self.post(base, token, key: "a", code: "A1") + " -i")
        #expect(write.output.hasPrefix("HTTP/1.1 503"), "\(write.output)")
        #expect(write.output.lowercased().contains("retry-after:"))
        server.signal(SIGTERM)
        #expect(try await server.end().status == 0)
      }
    }
  }

  @Test(arguments: [true, false])
  func `writes with keys survive a failover, which keeps the epoch if commits waited for the standby`(
    isSynchronous: Bool
  ) async throws {
    try await StandbyPair.open { pair in
      try await Shell.open(pair.database) { shell in
        try await shell.makeCompany()
        let token = try await Self.token(shell)
        if isSynchronous { try await pair.waitForStandby() }
        let before = try await Self.epoch(pair.connect(to: pair.primary))
        let both = Self.shell(shell, pair.environment)
        let server = try both.begin("serve", "--listen", "0", "--log-format", "json")
        try await server.says("serving the API")
        let base = "http://127.0.0.1:\(try #require(ServeTests.port(in: server.said)))"
        let writers = Task { try await both.bash(Self.writers(base, token)) }
        func acknowledged() -> [Substring] {
          let text = try? String(contentsOf: shell.folder.appending(path: "acknowledged"), encoding: .utf8)
          return (text ?? "").split(separator: "\n")
        }
        try await until { acknowledged().count >= 40 }
        try await pair.failOver()
        let failed = acknowledged().count
        try await until { acknowledged().count >= failed + 40 }
        try Data().write(to: shell.folder.appending(path: "stop"))
        #expect(try await writers.value.status == 0)
        let codes = try String(contentsOf: shell.folder.appending(path: "codes"), encoding: .utf8)
        #expect(
          Set(codes.split(separator: "\n")).isSubset(of: ["201", "503"]),
          "\(Set(codes.split(separator: "\n")))"
        )
        let superuser = pair.connect(to: pair.standby)
        let stored = try await superuser.rows(
          "select m.code from maintenance.machine m order by m.code",
          String.self
        )
        #expect(Set(stored).count == stored.count, "doubled")
        if isSynchronous {
          #expect(Set(acknowledged().map(String.init)).subtracting(stored).isEmpty, "lost")
        }
        let after = try await Self.epoch(superuser)
        #expect((after == before) == isSynchronous)
        #expect(server.said.contains("promoted without a loss") == isSynchronous)
        try await both.done("verify")
        server.signal(SIGTERM)
        #expect(try await server.end().status == 0)
      }
    }
  }

  private static func shell(_ shell: Shell, _ environment: [String: String]) -> Shell {
    Shell(folder: shell.folder, environment: shell.environment.merging(environment) { $1 })
  }

  private static func token(_ shell: Shell) async throws -> String {
    let rows = try await shell.rows(
      "token",
      "create",
      "writer",
      "--scope",
      "maintenance.machine.create",
      "--for",
      "eva"
    )
    return try #require(rows.first?["token"] as? String)
  }

  private static func epoch(_ database: Database) async throws -> UUID {
    let epoch = try await database.value("select epoch from core.installation", as: UUID.self)
    await database.close()
    return epoch
  }

  private static func post(_ base: String, _ token: String, key: String, code: String) -> String {
    """
    curl -s -m 60 -X POST \(base)/v1/maintenance/machine -H 'Authorization: Bearer \(token)' \
      -H 'Content-Type: application/json' -H "Idempotency-Key: \(key)" -d "{\\"code\\":\\"\(code)\\",\\"name\\":\\"Press\\"}"
    """
  }

  /// Three writers that repeat each write under its key until it is acknowledged.
  private static func writers(_ base: String, _ token: String) -> String {
    """
    write() {
      for ((n = 1; ; n++)); do
        [[ ! -e stop ]] || return 0
        while :; do
          code=$(\(post(base, token, key: "writer-$1-$n", code: "W$1-$n")) -o /dev/null -w '%{http_code}')
          echo "$code" >>codes
          [[ $code != 201 ]] || break
        done
        echo "W$1-$n" >>acknowledged
      done
    }
    write 1 & write 2 & write 3 &
    wait
    """
  }
}
