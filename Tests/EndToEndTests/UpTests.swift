import Cluster
import Foundation
import TestDatabase
import Testing

/// The whole product on an embedded PostgreSQL.
@Suite(.serialized, .timeLimit(.minutes(30))) struct UpTests {
  @Test func `up makes everything, outlives a kill, and stops when told`() async throws {
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
      #expect(try await shell.rows("entry", "list").count == 6)

      let second = try shell.begin("up")
      try await second.says("Fettle is up")
      #expect(server != nil && shell.serverID == server)
      try await together(shell, second)
      #expect(shell.serverID == nil)
      let late = try await shell.fettle("entry", "list")
      #expect(late.status == 7)
      #expect(late.errors.contains("hint: start it with `fettle up`"))

      #expect(try await shell.done("up", "--detach").errors.contains("`fettle down` stops it"))
      #expect(try await shell.rows("entry", "list").count == 6)
      #expect(try await shell.rows("job", "list", "--where", "state=dead").isEmpty)
      try await shell.done("down")
      #expect(shell.serverID == nil)
      #expect(try await shell.done("down").errors == "The embedded PostgreSQL is not running.\n")
    }
  }

  /// Lets Ana do something, and waits until the worker of `up` has told Eva.
  private func worked(_ shell: Shell, _ transition: String, _ entry: String, notice: String) async throws {
    try await shell.done("entry", "do", transition, entry, "--as", "ana")
    try await until {
      try await shell.rows("inbox", "list", "--as", "eva").contains { $0["title"] as? String == notice }
    }
  }

  /// Two at once share the server, and the last one stops it.
  private func together(_ shell: Shell, _ one: Running) async throws {
    let other = try shell.begin("up")
    try await other.says("Fettle is up")
    one.signal(SIGINT)
    let left = try await one.end()
    #expect(left.status == 0)
    #expect(left.errors.contains("PostgreSQL goes on for another `fettle up`"))
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
}

extension Shell {
  /// The process id of the embedded server; nil when none runs.
  fileprivate var serverID: Int32? {
    EmbeddedCluster(home: ClusterHome(directory: environment["FETTLE_HOME"] ?? "")).serverID
  }
}
