import Domain
import EngineFixtures
import FoundationEssentials
import Glibc
import Jobs
import Postgres
import Store
import TestDatabase
import Testing
import Webhooks

/// Programs that try to keep more than a job gives them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ProgramProcessTests {
  @Test func `a child in the background ends with the job that started it`() async throws {
    try await JobFixture.open { fixture in
      let script = try Script(
        """
        cat > /dev/null
        sleep 600 < /dev/null > /dev/null 2>&1 & echo $! > "$0.child"
        """
      )
      defer { script.remove() }
      try await run(script, fixture, reaches: .succeeded)
      let child = try #require(Int32(script.text(".child").filter(\.isNumber)))
      try await until { kill(child, 0) != 0 }
    }
  }

  @Test func `a daemon with a session of its own ends with the job that started it`() async throws {
    try await JobFixture.open { fixture in
      let script = try Script(
        """
        cat > /dev/null
        setsid sh -c 'echo $$ > "$1.child"; exec sleep 600' sh "$0" < /dev/null > /dev/null 2>&1 &
        while ! test -s "$0.child"; do :; done
        """
      )
      defer { script.remove() }
      try await run(script, fixture, reaches: .succeeded)
      let child = try #require(Int32(script.text(".child").filter(\.isNumber)))
      try await until { kill(child, 0) != 0 }
    }
  }

  @Test func `a child that ignores the end of its time does not outlive it`() async throws {
    try await JobFixture.open { fixture in
      let script = try Script(
        """
        cat > /dev/null
        (trap '' TERM; exec sleep 600) & echo $! > "$0.child"
        wait
        """
      )
      defer { script.remove() }
      try await run(script, fixture, limits: Program.Limits(time: .seconds(1)), reaches: .dead)
      let child = try #require(Int32(script.text(".child").filter(\.isNumber)))
      try await until { kill(child, 0) != 0 }
    }
  }

  @Test func `a program gets no variable of the worker that is not meant for it`() async throws {
    try await JobFixture.open { fixture in
      let script = try Script(#"cat > /dev/null; env > "$0.env""#)
      defer { script.remove() }
      let secrets = ["AWS_SECRET_ACCESS_KEY", "FETTLE_TOKEN", "PGSSLKEY", "SSH_AUTH_SOCK"]
      for name in secrets { setenv(name, "hush", 1) }
      setenv("FETTLE_PROGRAM_REGION", "north", 1)
      defer { for name in secrets + ["FETTLE_PROGRAM_REGION"] { unsetenv(name) } }
      let id = try await run(script, fixture, reaches: .succeeded)
      let lines = try script.text(".env").split(separator: "\n")
      let names = Set(lines.compactMap { $0.split(separator: "=").first.map(String.init) })
      let own: Set = ["_", "OLDPWD", "PWD", "SHLVL"]  // the shell's
      let given: Set = ["HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ"]
      let job: Set = ["FETTLE_JOB", "FETTLE_KIND", "FETTLE_RUN", "FETTLE_PROGRAM_REGION"]
      #expect(names.subtracting(own).subtracting(given) == job)
      #expect(lines.contains { $0 == "FETTLE_JOB=\(id.uuidString.lowercased())" })
      #expect(lines.contains("FETTLE_KIND=test.job") && lines.contains("FETTLE_PROGRAM_REGION=north"))
    }
  }

  /// Runs a job with the program until it reaches a state, and returns its id.
  @discardableResult
  private func run(
    _ script: Script,
    _ fixture: JobFixture,
    limits: Program.Limits = Program.Limits(),
    reaches state: JobState
  ) async throws -> UUID {
    let id = try await fixture.enqueue("test.job", maxAttempts: 1)
    var handlers = HandlerTable()
    handlers.add(
      [try Program("test.job=\(script.path)")],
      limits: limits,
      tasks: [],
      policy: .publicAndPrivate,
      services: fixture.services
    )
    try await fixture.working(fixture.worker(handlers)) { try await fixture.reach(state, id) }
    return id
  }
}
