import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// `fettle console` as a process.
@Suite(.serialized, .timeLimit(.minutes(60))) struct OperatorConsoleTests {
  /// Sends a request, and returns the status and the body.
  private static func ask(_ shell: Shell, _ address: String, _ options: String...) async throws -> (
    status: String, body: String
  ) {
    let outcome = try await shell.program(
      "/usr/bin/curl",
      ["-sS", "-w", "\n%{http_code}", "-b", "jar", "-c", "jar", "-H", "Accept: text/html"] + options + [
        address
      ]
    )
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
    return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
  }

  @Test func `the console opens once, answers this machine only, and its acts are the operator's`()
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("job", "enqueue", "history.seal", "--in", "1d")
      let console = try shell.begin("console", "--port", "0")
      try await console.says("/enter/")
      let entrance = try #require(
        console.said.split(whereSeparator: \.isWhitespace).first { $0.contains("/enter/") }.map(String.init)
      )
      let base = String(try #require(entrance.firstRange(of: "/enter/").map { entrance[..<$0.lowerBound] }))
      #expect(base.hasPrefix("http://127.0.0.1:"))
      #expect(try await Self.ask(shell, "\(base)/jobs").status == "401")
      #expect(try await Self.ask(shell, entrance, "-H", "Host: fettle.example").status == "403")
      let first = try await Self.ask(shell, entrance, "-L")
      #expect(first.status == "200")
      #expect(first.body.contains("<h1>Overview</h1>"))
      #expect(try await Self.ask(shell, entrance).status == "410")

      // Only 127.0.0.1 is listened on.
      let port = try #require(base.split(separator: ":").last)
      let open = try await shell.bash(
        "grep -i ':\(String(Int(port) ?? 0, radix: 16))' /proc/net/tcp /proc/net/tcp6"
      )
      #expect(open.output.contains("0100007F"))
      #expect(!open.output.contains("00000000:\(String(Int(port) ?? 0, radix: 16).uppercased())"))

      let jobs = try await Self.ask(shell, "\(base)/jobs?company=acme")
      let place = try #require(jobs.body.firstMatch(of: /href="(\/jobs\/acme\/[0-9a-f-]+)"/)?.1)
      let foreign = try await Self.ask(
        shell,
        "\(base)\(place)/cancel",
        "-X",
        "POST",
        "-H",
        "Origin: https://a.example"
      )
      #expect(foreign.status == "403")
      let cancelled = try await Self.ask(
        shell,
        "\(base)\(place)/cancel",
        "-X",
        "POST",
        "-H",
        "Origin: \(base)"
      )
      #expect(cancelled.status == "303")
      let audit = try await shell.rows("audit", "--where", "action=job.cancelled")
      #expect(audit.count == 1)
      #expect(audit.first?["actor_kind"] as? String == "operator")
      #expect(audit.first?["actor"] as? String == "tester")

      console.signal(SIGINT)
      #expect(try await console.end().status == 0)
    }
  }

  @Test func `the console takes no other address`() async throws {
    for arguments in [["console", "--listen", "0.0.0.0:1"], ["console", "--port", "70000"]] {
      let outcome = try await FettleProcess.run(FettleProcess.executable, arguments)
      #expect(outcome.status == 64, "\(arguments)")
    }
  }
}
