import Domain
import EndToEndFixtures
import Foundation
import Store
import TestDatabase
import Testing

/// Output for programs, and for people through a pipe.
@Suite(.serialized, .timeLimit(.minutes(60))) struct OutputTests {
  private static let long =
    "The hose behind the left arm leaks where it rubs against the frame, =1+1, “quoted”, |piped|"

  @Test func `every format says the same`() async throws {
    try await working { shell in
      let json = try await shell.rows("entry", "list", "--sort", "external_ref")
      #expect(json.count == 3)
      #expect(json.first?["description"] as? String == Self.long)

      let lines = try await shell.done("entry", "list", "--sort", "external_ref", "--output", "jsonl").output
      let parsed = try lines.split(separator: "\n").map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
      #expect(parsed.map { $0?["id"] as? String } == json.map { $0["id"] as? String })

      let yaml = try await shell.done("entry", "list", "--sort", "external_ref", "--output", "yaml").output
      let nodes = try YAMLDocument.decode([JSONObject].self, yaml, document: "output")
      #expect(nodes.map { $0["id"]?.string } == json.map { $0["id"] as? String })
      #expect(nodes.first?["description"]?.string == Self.long)
      #expect(Set(nodes.first?.keys ?? []) == Set(json[0].keys))

      let columns = "external_ref,description"
      let csv = try await shell.done(
        "entry",
        "list",
        "--sort",
        "external_ref",
        "-o",
        "csv",
        "--columns",
        columns
      ).output
      #expect(csv.hasPrefix("external_ref,description\r\n"))
      #expect(csv.contains("“quoted”"))
      #expect(csv.split(separator: "\r\n").count == 4)
    }
  }

  @Test func `through a pipe nothing is coloured, cut or wrapped`() async throws {
    try await working { shell in
      let table = try await shell.bash("fettle entry list | cat")
      #expect(table.status == 0)
      #expect(table.output.contains(Self.long))
      #expect(!table.output.contains("\u{1B}"))
      #expect(table.output.split(separator: "\n").count == 4)
      let refused = try await shell.bash("fettle machine show nothing 2>&1 | cat")
      #expect(!refused.output.contains("\u{1B}"))
    }
  }

  @Test func `a full disk fails every command that prints, with its reason`() async throws {
    try await Shell.open { shell in
      for command in ["version", "--help", "job --help", "migrate --print-roles", "api document", "manual"] {
        let full = try await shell.bash("fettle \(command) > /dev/full")
        #expect(full.status == 1, "\(command): \(full.status)")
        #expect(full.errors.contains("error[output_failed]"), "\(command): \(full.errors)")
        #expect(full.errors.contains("No space left on device"), "\(command): \(full.errors)")
      }
    }
  }

  @Test func `a reader that has seen enough ends the command quietly`() async throws {
    try await working { shell in
      let outcome = try await shell.bash(
        "for n in 1 2 3 4 5; do fettle entry list -o json | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}; done"
      )
      #expect(outcome.errors.isEmpty)
      #expect(outcome.output == "0\n0\n0\n0\n0\n")
    }
  }

  @Test func `asked for columns, rows and an order, it gives just those`() async throws {
    try await working { shell in
      let outcome = try await shell.done(
        "entry",
        "list",
        "-o",
        "csv",
        "--columns",
        "external_ref,status",
        "--where",
        "status=pending",
        "--sort",
        "-external_ref"
      )
      #expect(outcome.output == "external_ref,status\r\nWO-3,pending\r\nWO-2,pending\r\n")
    }
  }

  @Test func `rows are chosen and sorted among all there is, and by columns that are not shown`() async throws
  {
    try await working { shell in
      let oldest = try await shell.done(
        "entry",
        "list",
        "--where",
        "description=Gun drips",
        "--sort",
        "created_at",
        "--limit",
        "1",
        "-o",
        "csv",
        "--columns",
        "external_ref"
      )
      #expect(oldest.output == "external_ref\r\nWO-2\r\n")
      let table = try await shell.done("entry", "list", "--where", "priority=2", "--limit", "2")
      #expect(table.output.split(separator: "\n").count == 3)
      #expect(table.errors == "first 2 shown; --limit shows more\n")
    }
  }

  @Test func `a job is called by the beginning of its id`() async throws {
    try await working { shell in
      let id = try #require(try await shell.rows("job", "list").first?["id"] as? String)
      try await shell.done("job", "cancel", String(id.prefix(18)))
      #expect(
        try await shell.rows("job", "show", String(id.prefix(18))).first?["state"] as? String == "cancelled"
      )
    }
  }

  @Test func `the same key gives the same answer, and a try gives none of it`() async throws {
    try await working { shell in
      let words = ["machine", "add", "RM-009", "--idempotency-key", "k1", "-o", "json"]
      let first = try await shell.fettle(arguments: words)
      let second = try await shell.fettle(arguments: words)
      #expect(first.status == 0 && first.output == second.output)
      let other = try await shell.fettle("machine", "add", "RM-010", "--idempotency-key", "k1")
      #expect(other.status == 5)
      let tried = try await shell.done("machine", "add", "RM-011", "--dry-run")
      #expect(tried.output.hasPrefix("would be: "))
      #expect(try await shell.fettle("machine", "show", "RM-011").status == 3)
    }
  }

  /// Creates a company with three entries, one of them started.
  private func working(_ body: (Shell) async throws -> Void) async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-001")
      for (number, text) in [Self.long, "Gun drips", "Stirrer is stuck"].enumerated() {
        try await shell.done(
          "entry",
          "add",
          text,
          "--machine",
          "RM-001",
          "--category",
          "Hydraulics",
          "--set",
          "external_ref=WO-\(number + 1)"
        )
      }
      try await shell.done("entry", "do", "start", "WO-1")
      try await body(shell)
    }
  }
}
