import Testing

@testable import Terminal

@Suite struct ErrorReportTests {
  private let report = ErrorReport(
    code: "transition_not_allowed",
    message: "a completed entry cannot be started",
    hint: "from completed you can reopen",
    details: [.init("allowed", .list(["reopen"]))]
  )

  @Test func `people read code, sentence and hint`() {
    #expect(
      report.rendered(for: .table, on: .pipe) == """
        error[transition_not_allowed]: a completed entry cannot be started
        hint: from completed you can reopen

        """
    )
    let colored = report.text(on: Fixtures.screen(80, color: true))
    #expect(colored.hasPrefix("\u{1B}[1;31merror[transition_not_allowed]\u{1B}[0m: a completed"))
  }

  @Test func `a long text is broken at spaces on a terminal, and a command to copy is not`() {
    let names = (1...30).map { "column_\($0)" }.joined(separator: ", ")
    let list = ErrorReport(code: "c", message: "m", hint: "use one of: \(names)")
    let lines = list.text(on: Fixtures.screen(80)).split(separator: "\n")
    #expect(lines.count > 3 && lines.allSatisfy { $0.count <= 80 })
    #expect(list.text(on: .pipe).split(separator: "\n").count == 2)
    let command = "fettle entry import orders.csv --company acme --map machine=Asset"
    let hint = "the other way is to run `\(command)`, on a day off"
    let text = ErrorReport(code: "c", message: "m", hint: hint).text(on: Fixtures.screen(80))
    #expect(text.contains("to run\n  `\(command)`,"), "\(text)")
  }

  @Test func `programs read one line of json`() {
    #expect(
      report.rendered(for: .json, on: .pipe)
        == #"{"error":{"code":"transition_not_allowed","message":"a completed entry cannot be started","#
        + #""hint":"from completed you can reopen","details":{"allowed":["reopen"]}}}"# + "\n"
    )
    #expect(ErrorReport(code: "c", message: "m").json.contains(#""hint":null,"details":{}"#))
  }

  @Test func `a quoted name cannot forge a hint or color the screen`() {
    let forged = ErrorReport(code: "c", message: "no “x\nhint: run rm -rf\u{1B}[2J”")
    #expect(forged.text(on: .pipe) == "error[c]: no “x␊hint: run rm -rf␛[2J”\n")
  }

  @Test func `the exit codes are those of the glossary`() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 3, 4, 5, 6, 7, 8, 64, 130])
    #expect(TerminalError(.interrupted, "").exitCode == .interrupted)
    #expect(TerminalError(.outputClosed, "").exitCode == .done)
  }
}
