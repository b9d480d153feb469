import Domain
import FoundationEssentials
import Testing

@testable import Mail

@Suite struct SendmailClientTests {
  /// Runs the body with a program that has this script.
  private func withProgram(_ script: String, _ body: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.path + "/sendmail-\(UUID().uuidString)"
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    do {
      try await body(path)
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw error
    }
    try? FileManager.default.removeItem(atPath: path)
    try? FileManager.default.removeItem(atPath: "\(path).out")
  }

  @Test func `the program gets the message, its options and nothing of the environment`() async throws {
    try await withProgram(#"{ echo "$@"; env; cat; } > "$0.out""#) { path in
      let client = SendmailClient(path: path, environment: ["PATH": "/usr/bin:/bin", "PGPASSWORD": "secret"])
      #expect(await client.send(try SMTPClientTests.message()) == .accepted(MailAnswer(code: 0, text: "")))
      let seen = String(decoding: try Data(contentsOf: URL(filePath: "\(path).out")), as: UTF8.self)
      #expect(seen.hasPrefix("-t -i -f fettle@x.example\n"))
      #expect(seen.contains("\nTo: ana@x.example\n"))
      #expect(!seen.contains("secret") && !seen.contains("\r"))
    }
  }

  @Test(arguments: [(67, true), (68, true), (65, false)])
  func `exit statuses of sysexits refuse for good`(status: Int, isAddress: Bool) async throws {
    try await withProgram("cat > /dev/null; echo 'no such user' >&2; exit \(status)") { path in
      let outcome = await SendmailClient(path: path, environment: [:]).send(try SMTPClientTests.message())
      let answer = MailAnswer(code: status, text: "no such user")
      let reason = "\(path) exited with status \(status): no such user"
      #expect(outcome == .permanent(reason: reason, answer, isAddress: isAddress))
    }
  }

  @Test(arguments: ["exit 75", "exit 78", "kill -9 $$", "sleep 60"])
  func `other ends are tried again later`(script: String) async throws {
    try await withProgram("cat > /dev/null; \(script)") { path in
      let client = SendmailClient(path: path, limit: .seconds(1), environment: [:])
      guard case .temporary = await client.send(try SMTPClientTests.message()) else {
        Issue.record("not temporary")
        return
      }
    }
  }

  @Test func `a missing program is tried again later`() async throws {
    let client = SendmailClient(path: "/nonexistent/sendmail", environment: [:])
    guard case .temporary = await client.send(try SMTPClientTests.message()) else {
      Issue.record("not temporary")
      return
    }
  }
}
