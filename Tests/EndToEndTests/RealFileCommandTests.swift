import EndToEndFixtures
import Foundation
import Testing

/// A file of another system by the command line: imported as it is, taken back, exported for a spreadsheet.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RealFileCommandTests {
  private static let orders = """
    sep=;\r
    Work orders 2025;;;;;;\r
    ;;;;;;\r
    Number;Asset;Kind;Text;Opened;State;Cost\r
    A-1;RM-001;Service;Schaufel öffnet nicht, „klemmt“ ÅÄÖ;2025-01-10 07:00;COMPLETED;1.355,90 €\r
    A-2;RM-001;Service;=SUM(1);2025-01-11T06:15:00;In Progress;-48,00\r
    ;;;;;;\r
    Summe;;;;;;1.307,90\r

    """

  private static let options = [
    "--create-missing", "--map",
    "external_ref=Number,machine=Asset,category=Kind,description=Text,reported_on=Opened,status=State,actual_cost=Cost",
  ]

  private func importing(_ shell: Shell, _ words: String...) async throws -> [String: Any] {
    let outcome = try await shell.fettle(arguments: ["record", "import"] + words + ["--output", "json"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any] ?? [:]
  }

  @Test func `a file of a spreadsheet is imported, undone, exported for Excel and imported unchanged`()
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let path = try shell.file("orders.csv", Self.orders)
      let arguments = ["record", "import", "maintenance.entry", path] + Self.options
      let refused = try await shell.fettle(arguments: arguments)
      #expect(
        refused.status == 6 && refused.errors.contains("line 8: the line looks like a total (\"Summe\")")
      )
      #expect(refused.errors.contains("`--last-line 6`"))
      func imported(_ more: String...) async throws -> [String: Any] {
        let outcome = try await shell.fettle(
          arguments: arguments + ["--last-line", "6"] + more + ["-o", "json"]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any] ?? [:]
      }
      #expect(try await imported("--dry-run")["import"] is NSNull)
      #expect(try await imported()["import"] as? Int == 1)
      #expect(try await shell.rows("record", "import", "list").first?["file"] as? String == "orders.csv")
      let dry = try await shell.rows("record", "import", "undo", "1", "--dry-run")
      #expect((dry.first?["removed"] as? [String: Int])?["maintenance.entry"] == 2)
      #expect(try await shell.rows("entry", "list").count == 2)
      _ = try await shell.rows("record", "import", "undo", "1")
      #expect(try await shell.rows("entry", "list").isEmpty)
      #expect(try await imported()["import"] as? Int == 2)

      let plain = try await shell.fettle("record", "export", "maintenance.entry")
      let excel = try await shell.fettle(
        "record",
        "export",
        "maintenance.entry",
        "--for",
        "excel",
        "--date-format",
        "dd.mm.yyyy"
      )
      #expect(excel.status == 0, "\(excel.errors)")
      for part in ["„klemmt“ ÅÄÖ", ";1355,90;", ";-48,00;", ";'=SUM(1);", ";10.01.2025;"] {
        #expect(excel.output.contains(part), "\(excel.output)")
      }
      for (name, text) in [("plain.csv", plain.output), ("excel.csv", excel.output)] {
        let again = try await importing(
          shell,
          "maintenance.entry",
          try shell.file(name, text),
          "--date-format",
          "dd.mm.yyyy"
        )
        #expect(
          again["already_there"] as? Int == 2 && again["updated"] as? Int == 0
            && again["imported"] as? Int == 0
        )
      }
      let other = try await shell.fettle(
        "record",
        "export",
        "maintenance.entry",
        "--for",
        "excel",
        "-o",
        "jsonl"
      )
      #expect(other.status == 6 && other.errors.contains("only CSV has"))

      let some = try await shell.rows("entry", "delete", "--where", "reported_on<2025-01-11", "--dry-run")
      #expect(some.count == 1 && some.first?["result"] as? String == "would be done")
      _ = try await shell.rows("record", "delete", "maintenance.entry", "--where", "reported_on<2025-01-11")
      #expect(try await shell.rows("entry", "list").count == 1)
      let both = try await shell.fettle("entry", "delete", "A-2", "--where", "status=pending")
      #expect(both.status != 0 && both.errors.contains("name either a record, or a filter"))
    }
  }
}
