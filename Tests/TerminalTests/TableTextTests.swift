import Testing

@testable import Terminal

@Suite struct TableTextTests {
  @Test func `in a pipe nothing is cut, colored or filled up`() {
    let text = OutputFormat.table.render(Fixtures.orders, on: .pipe)
    #expect(
      text == """
        machine  status     hours  Reported              note
        EX-01    open        8.00  2026-03-28 21:00:00Z  Replace the hydraulic hose, again
        EX-10    completed   10.5  -                     -
        ex-02    open          -1  2026-01-02 03:04:05Z

        """
    )
  }

  @Test(arguments: 20...120)
  func `on a terminal every line fits`(width: Int) {
    let text = OutputFormat.table.render(Fixtures.orders, on: Fixtures.screen(width))
    for line in text.split(separator: "\n") {
      #expect(DisplayText.width(String(line)) <= max(width, 32), "detail views keep 20 columns for values")
    }
  }

  @Test func `only texts are cut, and times lose their seconds where there is little room`() {
    let lines = OutputFormat.table.render(Fixtures.orders, on: Fixtures.screen(61)).split(separator: "\n")
    #expect(lines[1] == "EX-01    open        8.00  2026-03-28 21:00Z  Replace the…")
    var screen = Fixtures.screen(61)
    screen.clock = ZoneClock.load("Europe/Stockholm")
    let local = OutputFormat.table.render(Fixtures.orders, on: screen).split(separator: "\n")
    #expect(local[1] == "EX-01    open        8.00  2026-03-28 22:00  Replace the…")
    let wide = OutputFormat.table.render(Fixtures.orders, on: Fixtures.screen(120))
    #expect(wide.contains("2026-03-28 21:00:00Z"))
  }

  @Test func `columns without a value are left out before others`() {
    let table = Table(
      columns: [Column("number"), Column("serial"), Column("vendor"), Column("ends"), Column("state")],
      rows: [
        ["IT-1", .null, .null, "2027-01-01", "expiring soon"],
        ["IT-2", .null, .null, "2026-12-24", "expiring"],
      ]
    )
    #expect(
      OutputFormat.table.render(table, on: Fixtures.screen(40)) == """
        number  ends        state
        IT-1    2027-01-01  expiring soon
        IT-2    2026-12-24  expiring
        2 more columns: --columns serial,vendor

        """
    )
    let empty = Table(columns: table.columns, rows: [])
    #expect(OutputFormat.table.render(empty, on: Fixtures.screen(80)).contains("vendor"))
  }

  @Test func `on a narrow terminal a list stays a list, and the columns that do not fit are named`() {
    let text = OutputFormat.table.render(Fixtures.orders, on: Fixtures.screen(40))
    #expect(
      text == """
        machine  status     hours
        EX-01    open        8.00
        EX-10    completed   10.5
        ex-02    open          -1
        2 more columns: --columns reported_on,
        note

        """
    )
    let wider = OutputFormat.table.render(Fixtures.orders, on: Fixtures.screen(48))
    #expect(wider.hasSuffix("1 more column: --columns note\n"), "\(wider)")
  }

  @Test(arguments: 20...120)
  func `no key, number or code is cut at any width, and a finding is broken into lines`(width: Int) {
    let table = Table(
      columns: [
        Column("check"), Column("code"), Column("permission"), Column("n", kind: .number),
        Column("finding", kind: .advice), Column("why"),
      ],
      rows: [
        [
          "bead gun of the first roller", "maintenance.entry.complete", "maintenance.entry.create", 12_345,
          .list(["the backlog of the default queue has grown for ten minutes", "→ start `fettle work`"]),
          "because of something longer than all other columns together, which may be cut",
        ]
      ]
    )
    let text = OutputFormat.table.render(table, on: Fixtures.screen(width))
    let words = text.split(whereSeparator: { " \n".contains($0) })
    #expect(text.hasPrefix("check"))
    for line in text.split(separator: "\n") where line.contains("…") {
      #expect(!line.contains("maintenance…"))
    }
    #expect(text.contains("bead gun of the first roller"))
    #expect(words.contains("minutes"), "a finding is whole: \(text)")
    for word in ["maintenance.entry.complete", "maintenance.entry.create", "12345"] {
      let isLeftOut = text.contains("more column")
      #expect(words.contains { $0 == word } || isLeftOut, "\(word) \(text)")
    }
  }

  @Test(arguments: 20...120)
  func `a sentence is cut after a word, and a list of codes is broken into lines, at any width`(width: Int) {
    let sentence = "see WO-1003456 before EX-0099 is started again"
    let codes = ["maintenance.entry.complete", "maintenance.entry.create", "role.read", "report.read"]
    let table = Table(
      columns: [Column("name"), Column("text"), Column("scopes")],
      rows: [["ci", .string(sentence), .list(codes.map { .string($0) })], ["x", "none", .list([])]]
    )
    let text = OutputFormat.table.render(table, on: Fixtures.screen(width))
    let known = Set((sentence.split(separator: " ") + codes.map { $0[...] }).map(String.init))
    for word in text.split(whereSeparator: { " \n,…".contains($0) })
    where word.contains(where: { "-.".contains($0) }) {
      #expect(known.contains(String(word)) || word.hasPrefix("--"), "\(word): \(text)")
    }
    let isLeftOut = text.contains("--columns scopes") || text.contains("--columns text,scopes")
    #expect(text.contains("report.read") || isLeftOut || text.contains("\nscopes\n"), "\(text)")
    #expect(table.fits(Fixtures.screen(width)) == !text.contains("more column"))
  }

  @Test func `columns that are left out are named, also if their names take several lines`() {
    let names = (1...9).map { "a_column_with_a_long_name_\($0)" }
    let table = Table(columns: names.map { Column($0, kind: .id) }, rows: [names.map { .string($0) }])
    let text = OutputFormat.table.render(table, on: Fixtures.screen(80))
    for name in names { #expect(text.contains(name), "\(text)") }
    #expect(text.contains("more columns: --columns a_column_with_a_long_name_"))
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test func `columns that a person chose are all shown, on a narrow terminal as records`() {
    let text = OutputFormat.table.render(Fixtures.orders, on: Fixtures.screen(40), isChosen: true)
    #expect(text.hasPrefix("machine:   EX-01\nstatus:    open\n"))
    #expect(text.contains("note:      Replace the hydraulic hose,\n           again\n\nmachine:   EX-10\n"))
  }

  @Test func `color accompanies its word, and only if enabled`() {
    let table = Table(columns: [Fixtures.columns[1]], rows: [["open"], ["odd"]])
    let plain = OutputFormat.table.render(table, on: Fixtures.screen(80))
    #expect(!plain.contains("\u{1B}"))
    let colored = OutputFormat.table.render(table, on: Fixtures.screen(80, color: true))
    #expect(colored == "\u{1B}[1mstatus\u{1B}[0m\n\u{1B}[33mopen\u{1B}[0m\nodd\n")
  }

  @Test func `values cannot draw on the terminal`() {
    let hostile = "\u{1B}]0;owned\u{7}\u{202E}\nfake row"
    for screen in [Screen.pipe, Fixtures.screen(80, color: true)] {
      let table = Table(
        columns: [Column("a"), Column("b")],
        rows: [[.string(hostile), .list([.string(hostile)])]]
      )
      for format in OutputFormat.allCases where format != .csv || screen.isTerminal {
        let text = format.render(table, on: screen)
        #expect(!text.contains("\u{1B}]"), "\(format)")
        #expect(!text.contains("\u{202E}"), "\(format)")
        #expect(!text.contains("\nfake"), "\(format)")
      }
    }
  }

  @Test func `wide characters keep the columns straight`() {
    let table = Table(
      columns: [Column("name"), Column("n", kind: .number)],
      rows: [["日本", 1], ["👩🏽‍🔧 Åsa", 22]]
    )
    #expect(OutputFormat.table.render(table, on: .pipe) == "name     n\n日本     1\n👩🏽‍🔧 Åsa  22\n")
  }

  @Test func `a record is shown as titles and values`() {
    let columns = [Column("machine"), Column("log"), Column("tags"), Column("done")]
    let row: [Cell] = ["EX-01", "first\nstatus: open", .list(["a", 2]), true]
    let text = OutputFormat.table.renderRecord(columns, row, on: .pipe)
    #expect(
      text == "machine:  EX-01\nlog:      first\n          status: open\ntags:     a, 2\ndone:     yes\n"
    )
  }

  @Test(
    arguments: [
      ([:], Screen.ColorChoice.auto, true, true), ([:], .auto, false, false),
      (["NO_COLOR": "1"], .auto, true, false),
      (["NO_COLOR": ""], .auto, true, true), (["TERM": "dumb"], .auto, true, false),
      (["NO_COLOR": "1"], .always, false, true), ([:], .never, true, false),
    ] as [([String: String], Screen.ColorChoice, Bool, Bool)]
  )
  func `color follows the flag, NO_COLOR and the terminal`(
    environment: [String: String],
    color: Screen.ColorChoice,
    isTerminal: Bool,
    expected: Bool
  ) {
    let screen = Screen(isTerminal: isTerminal, measured: nil, environment: environment, color: color)
    #expect(screen.usesColor == expected)
  }

  @Test func `the width is measured, else COLUMNS, else 80, and none in a pipe`() {
    let width = { (isTerminal: Bool, measured: Int?, columns: String?) in
      let environment = columns.map { ["COLUMNS": $0] } ?? [:]
      return Screen(isTerminal: isTerminal, measured: measured, environment: environment, color: .auto).width
    }
    #expect(width(true, 132, "50") == 132)
    #expect(width(true, nil, "50") == 50)
    #expect(width(true, nil, nil) == 80)
    #expect(width(false, nil, "50") == nil)
  }
}
