import EndToEndFixtures
import Foundation
import Testing

/// A company kept in a file, as in a repository of such files.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ProvisionTests {
  @Test func `a file is applied, found unchanged, compared after a change by hand, and applied again`()
    async throws
  {
    try await Shell.open { shell in
      let path = try shell.file("acme.yaml", Self.file)
      let tried = try await shell.done("apply", "-f", path, "--dry-run")
      #expect(tried.output.contains("created  acme company acme"))
      #expect(try await shell.rows("company", "list").isEmpty)

      let first = try await shell.done("apply", "-f", path)
      #expect(first.output.contains("created  acme maintenance.machine RM-001 (name: Line marker)"))
      #expect(first.output.contains("shown only now: "))
      #expect(!first.output.contains("a secret of the receiver"))
      let second = try await shell.done("apply", "-f", path)
      #expect(second.output.isEmpty)
      #expect(second.errors.contains("nothing changed"))
      #expect(try await shell.fettle("diff", "-f", path).status == 0)

      try await shell.done("record", "update", "maintenance.machine", "RM-001", "name=By hand")
      let diff = try await shell.fettle("diff", "-f", path)
      #expect(diff.status == 8)
      #expect(diff.output == "~ acme maintenance.machine RM-001\n    name: By hand → Line marker\n")
      let rows = try await shell.fettle("diff", "-f", path, "--output", "json")
      #expect(rows.status == 8)
      #expect(rows.output.contains(#""change":"changed""#) || rows.output.contains(#""change": "changed""#))
      try await shell.done("apply", "-f", path)
      #expect(try await shell.fettle("diff", "-f", path).status == 0)
      #expect(try await shell.fettle("verify").status == 0)
    }
  }

  @Test func `an export applied to an empty database is exported alike`() async throws {
    let text = try await Shell.open { shell in
      try await shell.done("apply", "-f", shell.file("acme.yaml", Self.file))
      let text = try await shell.done("export", "--company", "acme").output
      #expect(!text.contains("secret"))
      #expect(try await shell.fettle("diff", "-f", shell.file("again.yaml", text), "--prune").status == 0)
      return text
    }
    try await Shell.open { shell in
      _ = try await shell.bash("fettle apply -f - < \(shell.file("export.yaml", text))")
      try await shell.done(
        "export",
        "-f",
        "\(shell.folder.path)/second.yaml"
      )
      let second = try String(contentsOf: shell.folder.appending(path: "second.yaml"), encoding: .utf8)
      #expect(second == text)
    }
  }

  @Test func `a removal needs a confirmation, and does nothing without an answer`() async throws {
    try await Shell.open { shell in
      try await shell.done("apply", "-f", shell.file("acme.yaml", Self.file))
      let path = try shell.file(
        "less.yaml",
        "companies:\n  acme:\n    invites: []\n    categories: [Hydraulics]\n"
      )
      let kept = try await shell.done("apply", "-f", path)
      #expect(kept.errors.contains("not in the file: "))
      let asked = try await shell.fettle("apply", "-f", path, "--prune")
      #expect(asked.status == 64)
      #expect(asked.errors.contains("--yes"))
      #expect(try await shell.fettle("diff", "-f", path, "--prune").status == 8)
      let removed = try await shell.done("apply", "-f", path, "--prune", "--yes", "--output", "json")
      #expect(removed.output.components(separatedBy: "removed").count == 3)
      #expect(try await shell.rows("invite", "list").first?["state"] as? String == "revoked")
    }
  }

  @Test func `a bad file is refused with its line and the word that was meant`() async throws {
    try await Shell.open { shell in
      let path = try shell.file(
        "acme.yaml",
        Self.file.replacingOccurrences(of: "      RM-001: {", with: "      RM-001: { nmae: x,")
      )
      let refused = try await shell.fettle("apply", "-f", path)
      #expect(refused.status == 6)
      #expect(refused.errors.contains("acme.yaml:15: companies.acme.machines.RM-001: "))
      #expect(refused.errors.contains("did you mean name?"))
      #expect(try await shell.rows("company", "list").isEmpty)
      let misspelt = try shell.file("typo.yaml", "companies:\n  acme:\n    mashines: {}\n")
      let typo = try await shell.fettle("diff", "-f", misspelt, "--output", "json")
      #expect(typo.status == 6)
      #expect(typo.errors.contains(#""line":3"#))
      #expect(typo.errors.contains("machines"))
    }
  }

  @Test func `history is proven by a command, of everything, a type or a record`() async throws {
    try await Shell.open { shell in
      try await shell.done("apply", "-f", shell.file("acme.yaml", Self.file))
      for words in [[], ["maintenance.machine"], ["maintenance.machine", "RM-001"]] {
        let outcome = try await shell.fettle(arguments: ["history", "verify"] + words)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("verified"))
      }
      let quick = try await shell.fettle("verify", "--quick", "--output", "json")
      #expect(quick.status == 0 && quick.output.trimmingCharacters(in: .whitespacesAndNewlines) == "[]")
    }
  }

  private static let file = """
    companies:
      acme:
        name: Acme AB
        timezone: Europe/Stockholm
        members:
          eva@acme.example: { name: Eva Lindqvist, role: owner }
          bob@acme.example: { name: Bob, role: user }
        invites:
          - { role: user, uses: 5, days: 30 }
        webhooks:
          - { url: 'https://203.0.113.7/fettle', events: [maintenance.entry.completed] }
        entitlements: [pro]
        schedules: { history.seal: { paused: true } }
        machines:
          RM-001: { name: Line marker }
          RM-002: { name: Old one, status: retired }
        categories:
          - Hydraulics
          - { name: Boom, machine: RM-001 }
        records:
          maintenance.meter:
            - { name: Oil, machine: RM-001, unit: h }

    """
}
