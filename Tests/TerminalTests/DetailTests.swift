import Testing

@testable import Terminal

@Suite struct DetailTests {
  private let groups = [
    DetailGroup([(Column("id"), "0190"), (Column("state", kind: .status(["dead": .red])), "dead")]),
    DetailGroup("times", [(Column("created_at", kind: .instant), "2026-03-28T21:00:00Z")]),
    DetailGroup(
      "attempts",
      Column("attempts"),
      Table(columns: [Column("attempt", kind: .number), Column("error")], rows: [[1, "no answer"]])
    ),
    DetailGroup("notes", Column("notes"), Table(columns: [Column("text")])),
    DetailGroup("nothing", []),
  ]

  @Test func `people see groups under their headings, and none that is empty`() {
    #expect(
      OutputFormat.table.renderRecord(groups, on: .pipe) == """
        id:          0190
        state:       dead

        times
        created at:  2026-03-28 21:00:00Z

        attempts
        attempt  error
              1  no answer

        """
    )
  }

  @Test func `programs get one flat object with all keys`() {
    #expect(
      OutputFormat.jsonl.renderRecord(groups, on: .pipe)
        == #"{"id":"0190","state":"dead","created_at":"2026-03-28T21:00:00Z","#
        + #""attempts":[{"attempt":1,"error":"no answer"}],"notes":[]}"# + "\n"
    )
  }

  @Test func `headings are broken before texts are cut, and ids never are`() {
    let table = Table(
      columns: [
        Column("id", kind: .id), Column("machine_code"), Column("hours_logged", kind: .number),
        Column("text"),
      ],
      rows: [["019a3c7e-1b2", "RM-1", 12, "Replace the hydraulic hose behind the arm"]]
    )
    #expect(
      OutputFormat.table.render(table, on: Fixtures.screen(50)) == """
                      machine   hours
        id            code     logged  text
        019a3c7e-1b2  RM-1         12  Replace the…

        """
    )
    let narrow = OutputFormat.table.render(table, on: Fixtures.screen(40))
    #expect(narrow.contains("019a3c7e-1b2  RM-1"), "a list stays a list")
    #expect(narrow.hasSuffix("1 more column: --columns text\n"))
  }
}
