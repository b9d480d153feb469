import EndToEndFixtures
import Foundation
import Testing

/// `apply` reads the output of `export`: nothing changes, and an empty database becomes the same.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ProvisionRoundTripTests {
  @Test func `the export of a company is applied without a change, two webhooks on one address included`()
    async throws
  {
    try await Shell.open { shell in
      try await Self.furnish(shell)
      let text = try await shell.done("export").output
      for expected in [
        "maintenance.pm_plan:", "maintenance.meter:", "machines:", "categories:", "quotas:", "queue_limits:",
        "RM-001", "Change the oil", "category: Engine", "rate: \"100/minute\"",
        "maintenance.entry: \"SRV-{n}\"", "bytes: 9000", "maintenance.overlapping_hours: warn",
      ] {
        #expect(text.contains(expected), "\(expected) in \(text)")
      }
      let path = try shell.file("acme.yaml", text)
      let diff = try await shell.fettle("diff", "-f", path, "--prune")
      #expect(diff.status == 0, "\(diff.output)\(diff.errors)")
      let applied = try await shell.done("apply", "-f", path, "--prune", "--yes")
      #expect(applied.output.isEmpty && applied.errors.contains("nothing changed"))
      #expect(try await shell.done("export").output == text)
    }
  }

  @Test func `an export applied to an empty database gives the same export`() async throws {
    let text = try await Shell.open { shell in
      try await Self.furnish(shell)
      return try await shell.done("export").output
    }
    try await Shell.open { shell in
      _ = try await shell.done("apply", "-f", shell.file("acme.yaml", text))
      #expect(try await shell.done("export").output == text)
      #expect(try await shell.fettle("diff", "-f", shell.file("acme.yaml", text), "--prune").status == 0)
    }
  }

  @Test func `what a file does not contain is named with its number`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      #expect(try await shell.done("export").errors.contains("left out") == false)
      try await shell.done("retention", "set", "audit", "--days", "730")
      try await shell.done("retention", "set", "*", "--hold", "claim 17")
      try await shell.done("schedule", "add", "weekly", "report.print", "--cron", "0 6 * * 1", "--new-kind")
      try await shell.done("machine", "add", "RM-001", "--name", "Roller")
      let entries = try shell.file(
        "e.csv",
        """
        machine,category,description,reported_on,external_ref
        RM-001,Engine,x,2024-01-01,X-1
        RM-001,Engine,y,2024-01-02,
        """
      )
      try await shell.done("record", "import", "maintenance.entry", entries)
      let named = try await shell.done("export").errors
      for line in [
        "1 retention rules", "1 legal holds", "1 schedules of its own",
        "2 records of maintenance.entry: add --records maintenance.entry",
      ] { #expect(named.contains("left out of acme: \(line)"), "\(line) in \(named)") }
      let all = try await shell.done("export", "--records", "all").errors
      let nameless = "left out of acme: 1 records of maintenance.entry: without external_ref"
      #expect(all.contains(nameless), "\(all)")
      let wrong = try shell.file(
        "wrong.yaml",
        "companies: { acme: { settings: { maintenance.overlapping_hours: maybe } } }\n"
      )
      let refused = try await shell.fettle("diff", "-f", wrong)
      let place = "companies.acme.settings.maintenance.overlapping_hours"
      #expect(refused.errors.contains(place), "\(refused.errors)")
      let own = try shell.file("own.yaml", "companies: { system: { name: Mine } }\n")
      let guarded = try await shell.fettle("apply", "-f", own)
      #expect(guarded.status == 6 && guarded.errors.contains("companies.system: system is the engine's own"))
    }
  }

  @Test func `the demo company is exported and applied without a change`() async throws {
    try await Shell.open { shell in
      try await shell.done("demo")
      let text = try await shell.done("export", "--company", "demo").output
      let diff = try await shell.fettle("diff", "-f", shell.file("demo.yaml", text), "--prune")
      #expect(diff.status == 0, "\(diff.output.prefix(2000))\(diff.errors.prefix(2000))")
    }
  }

  @Test func `a member's name, quotas and queue limits are differences, and are applied`() async throws {
    try await Shell.open { shell in
      try await Self.furnish(shell)
      let text = try await shell.done("export").output
        .replacingOccurrences(of: "Eva Lindqvist", with: "Eva Berg")
        .replacingOccurrences(of: "maintenance.entry: 1000", with: "maintenance.entry: 2000")
        .replacingOccurrences(of: "100/minute", with: "5/second")
        .replacingOccurrences(of: "SRV-{n}", with: "JOB-{n}")
      let path = try shell.file("acme.yaml", text)
      let diff = try await shell.fettle("diff", "-f", path)
      #expect(diff.status == 8)
      for line in [
        "~ acme member eva@acme.example\n    name: Eva Lindqvist → Eva Berg\n",
        "~ acme quota maintenance.entry\n    records: 1000 → 2000\n",
        "~ acme queue limit kind webhook.deliver\n    rate: 100/minute → 5/second\n",
        "~ acme numbers maintenance.entry\n    format: SRV-{n} → JOB-{n}\n",
      ] {
        #expect(diff.output.contains(line), "\(diff.output)")
      }
      try await shell.done("apply", "-f", path)
      #expect(try await shell.fettle("diff", "-f", path).status == 0)
      let member = try await shell.rows("member", "list").first {
        $0["email"] as? String == "eva@acme.example"
      }
      #expect(member?["name"] as? String == "Eva Berg")
      // A company's apps are enabled, and with --prune disabled.
      let apps = try shell.file("apps.yaml", "companies: { acme: { apps: [maintenance, trips] } }\n")
      try await shell.done("apply", "-f", apps, "--prune", "--yes")
      let used = try await shell.rows("app", "used", "--company", "acme").filter {
        $0["enabled"] as? Bool == true
      }
      #expect(used.compactMap { $0["app"] as? String } == ["maintenance", "trips"])
      let unknown = try shell.file("apps.yaml", "companies: { acme: { apps: [maintenence] } }\n")
      let refused = try await shell.fettle("diff", "-f", unknown)
      #expect(
        refused.errors.contains("companies.acme.apps") && refused.errors.contains("did you mean maintenance?")
      )
      // What a section does not have goes with --prune.
      let less = try shell.file("less.yaml", "companies: { acme: { quotas: {}, queue_limits: [] } }\n")
      #expect(try await shell.fettle("diff", "-f", less).status == 0)
      #expect(try await shell.fettle("diff", "-f", less, "--prune").status == 8)
      try await shell.done("apply", "-f", less, "--prune", "--yes")
      #expect(try await shell.fettle("diff", "-f", less, "--prune").status == 0)
    }
  }

  @Test func `the export is of FETTLE_COMPANY, of the companies named, or of all`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done(
        "company",
        "create",
        "other",
        "--owner",
        "eva@acme.example",
        "--owner-name",
        "Eva Lindqvist"
      )
      func companies(_ options: String...) async throws -> [String] {
        let outcome = try await shell.fettle(arguments: ["export"] + options)
        return ["acme", "other"].filter { outcome.output.contains("  \($0):") }
      }
      #expect(try await companies() == ["acme"])
      #expect(try await companies("--company", "other") == ["other"])
      #expect(try await companies("--all") == ["acme", "other"])
      #expect(try await companies("--records", "none") == ["acme"])
    }
  }

  @Test func `texts that look like other values come back as texts`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let names = [
        "no", "007", "1.50", "1e3", "null", "~", "true", "2026-01-01", "0x1F", "a: b", " # x", "'q'",
        "🚜\u{FFFE}",
      ]
      for (index, name) in names.enumerated() {
        try await shell.done("record", "create", "maintenance.machine", "code=M\(index)", "name=\(name)")
      }
      let path = try shell.file("acme.yaml", try await shell.done("export").output)
      let diff = try await shell.fettle("diff", "-f", path, "--prune")
      #expect(diff.status == 0, "\(diff.output)\(diff.errors)")
    }
  }

  @Test func `a reference to a deleted record is left out, and the file is applied without a change`()
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-001", "--name", "Roller")
      try await shell.done("record", "create", "maintenance.category", "name=Boom")
      let entries = try shell.file(
        "e.csv",
        "machine,category,description,reported_on,external_ref\nRM-001,Boom,x,2024-01-01,X-1\n"
      )
      try await shell.done("record", "import", "maintenance.entry", entries)
      let categories = try await shell.rows("record", "list", "maintenance.category", "--where", "name=Boom")
      try await shell.done(
        "record",
        "delete",
        "maintenance.category",
        #require(categories.first?["id"] as? String)
      )
      let text = try await shell.done("export", "--records", "maintenance.entry").output
      #expect(text.contains("X-1") && text.contains("category: null"))
      let diff = try await shell.fettle("diff", "-f", shell.file("acme.yaml", text), "--prune")
      #expect(diff.status == 0, "\(diff.output)\(diff.errors)")
    }
  }

  /// Creates a company with content for all sections of a file, by commands.
  private static func furnish(_ shell: Shell) async throws {
    try await shell.makeCompany(["bob": "user"])
    for event in ["maintenance.entry.completed", "webhook.test"] {
      try await shell.done("webhook", "add", "https://1.1.1.1/fettle", "--event", event)
    }
    try await shell.done("company", "quota", "acme", "maintenance.entry=1000", "*=5000", "bytes=9000")
    try await shell.done("company", "settings", "acme", "maintenance.overlapping_hours", "warn")
    try await shell.done("company", "numbers", "acme", "maintenance.entry", "--format", "SRV-{n}")
    try await shell.done("app", "disable", "trips", "--company", "acme")
    try await shell.done(
      "queue",
      "limit",
      "--kind",
      "webhook.deliver",
      "--running",
      "4",
      "--rate",
      "100/minute",
      "--company",
      "acme"
    )
    try await shell.done("machine", "add", "RM-001", "--name", "Roller")
    try await shell.done("record", "create", "maintenance.meter", "machine_id=RM-001", "name=Hours", "unit=h")
    for days in ["30", "60"] {
      // Titles of plans are not unique.
      try await shell.done(
        "plan",
        "add",
        "Change the oil",
        "--machine",
        "RM-001",
        "--category",
        "Engine",
        "--every-days",
        days
      )
    }
  }
}
