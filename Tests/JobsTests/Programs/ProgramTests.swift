import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Glibc
import Jobs
import Postgres
import Secrets
import Store
import TestDatabase
import TestTools
import Testing
import Webhooks

/// Kinds without a task: the program gets the payload of the job, and its exit status decides the outcome.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ProgramTests {
  @Test func `a program gets the payload, and nothing that leads to the database`() async throws {
    try await JobFixture.open { fixture in
      let script = try Script(
        """
        cat > "$0.in"; env > "$0.env"
        """
      )
      defer { script.remove() }
      let id = try await fixture.enqueue("test.job", payload: JSON(text: #"{"machine":"RM-001"}"#))
      setenv("PGPASSWORD", "hush", 1)
      defer { unsetenv("PGPASSWORD") }
      try await run(script, fixture) { try await fixture.reach(.succeeded, id) }
      let told = try JSONValue(parsing: script.text(".in")).object ?? [:]
      #expect(told["payload"]?.object?["machine"] == "RM-001")
      #expect(told["kind"] == "test.job" && told["attempt"]?.number == 1)
      #expect(told["idempotency_key"] == .string("job:\(id.text)"))
      #expect(!(try script.text(".env")).contains("hush"))
      #expect(try script.text(".env").contains("PATH="))
    }
  }

  @Test func `status 75 is retried, any other is permanent, and the last line of output is kept`()
    async throws
  {
    try await JobFixture.open { fixture in
      let script = try Script(
        """
        cat > /dev/null
        test -e "$0.once" && { echo "bad day" >&2; exit 3; }
        touch "$0.once"; echo "not yet" >&2; exit 75
        """
      )
      defer { script.remove() }
      let id = try await fixture.enqueue("test.job")
      try await run(script, fixture) {
        try await until {
          try await fixture.hurry()
          return try await fixture.job(id)?.state == .dead
        }
      }
      #expect(
        try await fixture.attempts(id).map(\.error) == [
          "the program asked for a retry: not yet", "the program exited with status 3: bad day",
        ]
      )
    }
  }

  @Test func `a program that asks for a retry gets it after minutes, later each time`() async throws {
    try await JobFixture.open { fixture in
      let script = try Script("cat > /dev/null; exit 75")
      defer { script.remove() }
      let id = try await fixture.enqueue("test.job")
      try await run(script, fixture) { try await fixture.reach(.retrying, id) }
      let wait = try await fixture.superuser.value(
        "select extract(epoch from run_at - now())::float8 from core.job where id = \(id)",
        as: Double.self
      )
      #expect((30...80).contains(wait), "\(wait)")
    }
    let waits = (1...9).map { RetryPolicy.programs.delay(afterAttempt: $0, random: 0) }
    #expect(waits.prefix(4) == [.seconds(60), .seconds(120), .seconds(240), .seconds(480)])
    #expect(waits.last == .seconds(3_600))
  }

  @Test(arguments: [
    ("echo hello", "answer, which is not JSON: hello"), (#"echo '{"sent": 3}'"#, #"answer: {"sent": 3}"#),
    ("true", nil),
  ])
  func `an answer that no task uses is kept as a note, and one that is not JSON is said to be none`(
    _ command: String,
    _ note: String?
  ) async throws {
    try await JobFixture.open { fixture in
      let script = try Script("cat > /dev/null; \(command)")
      defer { script.remove() }
      let id = try await fixture.enqueue("test.job")
      try await run(script, fixture) { try await fixture.reach(.succeeded, id) }
      let notes = try await fixture.superuser.rows(
        "select n.text from core.job_note n where n.text is not null and n.job_id = \(id)",
        String.self
      )
      #expect(notes == (note.map { [$0] } ?? []))
    }
  }

  @Test func `a program that takes too long is ended with all it started`() async throws {
    try await JobFixture.open { fixture in
      let script = try Script(
        """
        sleep 600 & echo $! > "$0.child"; wait
        """
      )
      defer { script.remove() }
      let id = try await fixture.enqueue("test.job", maxAttempts: 1)
      try await run(script, fixture, limits: Program.Limits(time: .seconds(1))) {
        try await fixture.reach(.dead, id)
      }
      let child = try #require(Int32(script.text(".child").filter(\.isNumber)))
      try await until { kill(child, 0) != 0 }
      #expect(try await fixture.attempts(id).first?.error?.contains("longer than") == true)
    }
  }

  @Test func `a program that takes too long without reading a large payload is ended`() async throws {
    try await JobFixture.open { fixture in
      // More than a pipe holds.
      let text = String(repeating: "x", count: 200_000)
      let script = try Script("sleep 600")
      defer { script.remove() }
      let id = try await fixture.enqueue(
        "test.job",
        maxAttempts: 1,
        payload: JSON(text: #"{"text":"\#(text)"}"#)
      )
      try await run(script, fixture, limits: Program.Limits(time: .seconds(1))) {
        try await fixture.reach(.dead, id)
      }
      #expect(try await fixture.attempts(id).first?.error?.contains("longer than") == true)
    }
  }

  @Test func `a program that wants more memory than it may have fails`() async throws {
    try await JobFixture.open { fixture in
      let script = try Script(
        """
        cat > /dev/null
        exec awk 'BEGIN { s = "0123456789abcdef"; for (i = 0; i < 26; i++) s = s s; print length(s) }'
        """
      )
      defer { script.remove() }
      let id = try await fixture.enqueue("test.job")
      try await run(script, fixture, limits: Program.Limits(time: .seconds(60), memory: 64)) {
        try await fixture.reach(.dead, id)
      }
      #expect(try await fixture.attempts(id).count == 1)
    }
  }

  @Test func `an address gets a signed POST under the job's key, and its answer counts`() async throws {
    let receiver = try HookReceiver(.status(503), .status(204))
    defer { receiver.stop() }
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue("test.job", payload: JSON(text: #"{"machine":"RM-001"}"#))
      let program = try Program("test.job=\(receiver.url)")
      try await run(program, fixture) {
        try await until {
          try await fixture.hurry()
          return try await fixture.job(id)?.state == .succeeded
        }
      }
      #expect(Set(receiver.requests.map { $0.headers["idempotency-key"] }) == ["job:\(id.text)"])
      let signature = try #require(receiver.requests[1].headers["fettle-signature"])
      let key = try fixture.services.keys().current(.webhook).bytes
      let now = Int64(time(nil))
      #expect(WebhookSignature.isValid(signature, for: receiver.requests[1].body, key: key, now: now))
    }
  }

  @Test(arguments: [
    "plan.generate", "plan.generate=", "plan.generate=/nowhere/at/all", "Plan=/bin/true", "a.b=/etc/passwd",
  ])
  func `a program that cannot be run is reported when the worker starts`(text: String) throws {
    let error = #expect(throws: DomainError.self) { try Program(text) }
    #expect(error?.code == .invalidInput)
  }

  private func run(
    _ script: Script,
    _ fixture: JobFixture,
    limits: Program.Limits = Program.Limits(),
    _ body: @Sendable () async throws -> Void
  ) async throws {
    try await run(Program("test.job=\(script.path)"), fixture, limits: limits, body)
  }

  private func run(
    _ program: Program,
    _ fixture: JobFixture,
    limits: Program.Limits = Program.Limits(),
    _ body: @Sendable () async throws -> Void
  ) async throws {
    var handlers = HandlerTable()
    handlers.add(
      [program],
      limits: limits,
      tasks: [],
      policy: .publicAndPrivate,
      services: fixture.services
    )
    try await fixture.working(fixture.worker(handlers)) { try await body() }
  }
}
