import EndToEndFixtures
import Foundation
import Postgres
import Store
import TestDatabase
import Testing

/// Every command that acts in a company, by people who may not do or read anything in it.
@Suite(.serialized, .timeLimit(.minutes(60))) struct CommandMatrixTests {
  /// The commands by which a viewer reads. They must succeed or not find a private record; all others must be
  /// denied.
  private static let reading: Set = [
    "settings", "list", "show", "history", "readings", "range", "day", "current", "daily", "recordings",
    "comments",
    "export", "next", "used", "stats", "run", "deliveries", "verify", "numbers", "watch", "unwatch", "read",
    "preferences", "explain", "status", "devices", "conflicts",
    // Who may read a record may talk about it.
    "comment",
  ]

  /// Ends of lines whose exit code says that nothing was done: denied, or not found.
  private static let refusals: Set<Int32> = [3, 4]

  @Test func `every command is tried or is the operator's alone`() async throws {
    let commands = try await CommandTree.read()
    let lines = CommandLines.all(files: "").map { $0.joined(separator: " ") }
    var used: Set<String> = []
    for command in commands {
      // The longest path that begins a line is the command of the line.
      let own = lines.filter { $0 == command.path || $0.hasPrefix(command.path + " ") }
      used.formUnion(own)
      if command.isForMembers {
        #expect(!own.isEmpty, "no line tries `fettle \(command.path)`: add one to CommandLines.swift")
      } else {
        let isNamed = CommandLines.operators.contains(command.path)
        #expect(isNamed, "`fettle \(command.path)` has no --as: name it in CommandLines.swift, or add --as")
      }
    }
    #expect(Set(lines).subtracting(used) == [], "lines of commands that do not exist")
    #expect(commands.count > 200)
  }

  @Test func `no command lets an outsider do or read anything`() async throws {
    try await Self.house { shell, companies, lines in
      let before = try await Self.content(of: TwoCompanies.b, companies)
      var tried = 0
      for person in ["suspended", "removed", "stranger"] {
        let outcomes = try await Self.run(lines, as: person, in: "company-b", shell)
        tried += outcomes.count
        for (line, outcome) in zip(lines, outcomes) {
          let place = "\(line.joined(separator: " ")) --as \(person): \(outcome.status)"
          #expect(Self.refusals.contains(outcome.status), "\(place) \(outcome.errors.prefix(200))")
          #expect(outcome.output.isEmpty, "\(place) \(outcome.output.prefix(200))")
          #expect(!Self.leaks(outcome.errors), "\(place) \(outcome.errors.prefix(200))")
        }
      }
      // In a company of their own they may do much, but nothing to company B's objects.
      let outcomes = try await Self.run(lines, as: "stranger", in: "company-a", shell)
      tried += outcomes.count
      for (line, outcome) in zip(lines, outcomes) {
        let place = "\(line.joined(separator: " ")) in company-a: \(outcome.status)"
        #expect(!Self.leaks(outcome.output) && !Self.leaks(outcome.errors), "\(place)")
        #expect([0, 3, 4, 5, 6, 8].contains(outcome.status), "\(place) \(outcome.errors.prefix(200))")
        // A list of what belongs to another company's row is empty.
        #expect(!outcome.output.contains(TableProbe.mark), "\(place) \(outcome.output.prefix(200))")
      }
      let after = try await Self.content(of: TwoCompanies.b, companies)
      #expect(Self.changed(before, after) == [])
      print("commands × outsiders: \(tried) cells tried")
    }
  }

  @Test func `a viewer reads and changes nothing`() async throws {
    try await Self.house { shell, companies, lines in
      let before = try await Self.content(of: TwoCompanies.b, companies)
      let outcomes = try await Self.run(lines, as: "viewer", in: "company-b", shell)
      var read = 0
      for (line, outcome) in zip(lines, outcomes) {
        let place = "\(line.joined(separator: " ")): \(outcome.status)"
        if outcome.status == 0 {
          read += 1
          let verb = line.first { Self.reading.contains($0) }
          #expect(verb != nil, "\(place) \(outcome.output.prefix(200))")
        } else {
          #expect([3, 4, 5, 6, 8].contains(outcome.status), "\(place) \(outcome.errors.prefix(200))")
        }
      }
      #expect(read > 30)
      let after = try await Self.content(of: TwoCompanies.b, companies)
      // A viewer comments, watches records and chooses notices, and jobs tell others of that.
      let own: Set = [
        "core.comment", "core.watcher", "core.notification", "core.notification_preference",
        "core.job_queued",
      ]
      #expect(Set(Self.changed(before, after)).subtracting(own) == [])
      print("commands × viewer: \(outcomes.count) cells tried, \(read) of them read")
    }
  }

  /// True if a text contains a name or an address of company B.
  private static func leaks(_ text: String) -> Bool {
    ["RM-b", "Company b", "https://b.example"].contains { text.contains($0) }
  }

  /// Opens a shell on two companies, with a viewer, a suspended and a removed member of company B, and a
  /// stranger, who is an administrator of company A.
  private static func house(
    _ body: (Shell, TwoCompanies, [[String]]) async throws -> Void
  ) async throws {
    let companies = try await TwoCompanies.make()
    // Rows of the fixture that are no workflow and no overlay of one.
    try await companies.superuser.execute("delete from core.workflow_overlay")
    try await companies.superuser.execute("delete from core.workflow_choice")
    try await Shell.open(companies.database) { shell in
      for (name, text) in CommandLines.files { _ = try shell.file(name, text) }
      for (person, role) in [("viewer", "viewer"), ("suspended", "user"), ("removed", "user")] {
        try await shell.done(
          "member",
          "add",
          "\(person)@people.example",
          "--role",
          role,
          "--company",
          "company-b"
        )
      }
      try await shell.done("member", "suspend", "suspended", "--company", "company-b")
      try await shell.done("member", "remove", "removed", "--company", "company-b")
      try await shell.done(
        "member",
        "add",
        "stranger@people.example",
        "--role",
        "admin",
        "--company",
        "company-a"
      )
      try await body(shell, companies, CommandLines.all(files: shell.folder.path))
    }
  }

  /// Runs the lines, a few at a time, and returns their outcomes in order.
  private static func run(
    _ lines: [[String]],
    as person: String,
    in company: String,
    _ shell: Shell
  ) async throws -> [FettleProcess.Outcome] {
    try await withThrowingTaskGroup(of: (Int, FettleProcess.Outcome).self) { group in
      var outcomes: [Int: FettleProcess.Outcome] = [:]
      for (index, line) in lines.enumerated() {
        if index >= 4, let (done, outcome) = try await group.next() { outcomes[done] = outcome }
        group.addTask {
          // The commands about a company name it as an argument.
          let isNamed = line.first == "company" || line.contains("--company")
          let words = line + (isNamed ? [] : ["--company", company])
          return (index, try await shell.fettle(arguments: words + ["--as", person]))
        }
      }
      for try await (done, outcome) in group { outcomes[done] = outcome }
      return lines.indices.compactMap { outcomes[$0] }
    }
  }

  /// Returns a digest of the company's rows in each table, without those that record attempts or count.
  private static func content(of company: UUID, _ companies: TwoCompanies) async throws -> [String: String] {
    let relations = try await companies.superuser.rows(Relation.query, as: Relation.self)
    var digests: [String: String] = [:]
    for relation in relations where relation.kind == "table" && relation.columns.contains("company_id") {
      guard !["core.audit", "core.idempotency", "core.job_count"].contains(relation.description) else {
        continue
      }
      digests[relation.description] = try await companies.superuser.value(
        SQL(
          trusted: """
            select coalesce(md5(string_agg(to_jsonb(t)::text, '' order by to_jsonb(t)::text)), '')
            from \(relation.quoted) t where t.company_id = '\(company)'
            """
        ),
        as: String.self
      )
    }
    return digests
  }

  private static func changed(_ before: [String: String], _ after: [String: String]) -> [String] {
    before.keys.filter { before[$0] != after[$0] }.sorted()
  }
}
