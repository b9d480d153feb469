import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// Demo data at the command line.
@Suite(.serialized, .timeLimit(.minutes(60))) struct DemoTests {
  @Test func `demo data is loaded once, whole or of one app`() async throws {
    try await Shell.open { shell in
      let first = try await shell.rows("demo", "load", "--scale", "s", "--app", "maintenance")
      #expect(first.first?["records"] as? Int == 183 && first.first?["companies"] as? Int == 3)
      let all = try await shell.rows("demo", "load", "--scale", "S")
      #expect((all.first?["records"] as? Int ?? 0) >= 30, "jobs at least")
      let again = try await shell.rows("demo", "load", "--scale", "S")
      #expect(again.first?["records"] as? Int == 0 && again.first?["samples"] as? Int == 0)
      try await shell.done("demo")
      #expect(try await shell.rows("entry", "list", "-c", "demo").count == 6)
      #expect(try await shell.done("demo", "refresh").output == "moved 0 records\n")
      let wrong = try await shell.fettle("demo", "load", "--scale", "S", "--app", "maintenence")
      #expect(wrong.status == 3 && wrong.errors.contains("did you mean maintenance?"))
    }
  }
}
