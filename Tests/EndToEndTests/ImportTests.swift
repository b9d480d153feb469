import EndToEndFixtures
import Foundation
import Testing

/// Imports of five thousand real work orders, and of a generated file with quotes, duplicates and other
/// alphabets.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ImportTests {
  @Test(.enabled(if: WorkOrders.real != nil, "excavator-work-orders.csv is not here (FETTLE_EXCAVATOR_CSV)"))
  func `five thousand work orders are imported by one command, once`() async throws {
    let file = try #require(WorkOrders.real)
    try await Shell.open { shell in
      try await shell.makeCompany()
      let first = try await shell.importing(file)
      #expect(first["imported"] as? Int == 5_485)
      #expect(first["created"] as? [String: Int] == ["maintenance.category": 7, "maintenance.machine": 5])
      // Line 3454 has "won,t swing" without quotes, so that its last three columns are shifted.
      let shifted = first["looks_shifted"] as? [[String: Any]] ?? []
      #expect(shifted.map { "\($0["name"] ?? ""), line \($0["line"] ?? "")" } == ["t swing, line 3454"])
      #expect(first["left_empty"] as? Int == 1)
      #expect(try await shell.rows("machine", "list").count == 5)
      let again = try await shell.importing(file)
      #expect(again["imported"] as? Int == 0)
      #expect(again["already_there"] as? Int == 5_485)
      #expect(try await shell.rows("entry", "list", "--limit", "100000").count == 5_485)
    }
  }

  @Test(.enabled(if: WorkOrders.real != nil, "excavator-work-orders.csv is not here (FETTLE_EXCAVATOR_CSV)"))
  func `a bad line of the real file refuses it, or is skipped and imported later`() async throws {
    let text = try String(contentsOfFile: try #require(WorkOrders.real), encoding: .utf8)
    try await Shell.open { shell in
      try await correcting(shell, text, lines: 5_485)
    }
  }

  @Test func `quotes, duplicates, line breaks and a byte order mark are imported unchanged`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let file = try shell.file("orders.csv", WorkOrders.generated(lines: 150))
      #expect(try await shell.importing(file)["imported"] as? Int == 150)
      let again = try await shell.importing(file)
      #expect(again["imported"] as? Int == 0 && again["already_there"] as? Int == 150)
      let entries = try await shell.rows("entry", "list", "--limit", "1000")
      let texts = entries.compactMap { $0["description"] as? String }
      #expect(texts.filter { $0 == "replace tooth" }.count == 14)
      #expect(texts.contains(#"6" hose, "hot", leaks"#))
      #expect(texts.contains("bucket\r\nwon't open"))
      #expect(texts.contains("Schaufel öffnet nicht — дверь 门"))
      #expect(entries.allSatisfy { $0["status"] as? String == "completed" })
      #expect(try await shell.rows("machine", "list").count == 5)
      // An import of past events sends no notices.
      #expect(try await shell.rows("job", "list").isEmpty)
      let entry = try #require(entries.first?["id"] as? String)
      #expect(try await shell.rows("entry", "history", entry).map { $0["what"] as? String } == ["import"])
    }
  }

  @Test func `a file about one machine needs no column for it`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "EX-1", "--name", "Excavator")
      let file = try shell.file("orders.csv", "Text;Cost\nLeak;12,50\nPump;1.250,00\n")
      let map = "description=Text,actual_cost=Cost"
      let all = "category=Engine,machine=EX-1"
      try await shell.done("entry", "import", file, "--create-missing", "--map", map, "--set", all)
      let entries = try await shell.rows("entry", "list", "--sort", "description")
      #expect(entries.map { $0["machine_code"] as? String } == ["EX-1", "EX-1"])
      #expect(entries.map { $0["actual_cost"] as? Double } == [12.5, 1250])
    }
  }

  @Test func `a bad line refuses the file, or is skipped and imported later`() async throws {
    try await Shell.open { shell in
      try await correcting(shell, WorkOrders.generated(lines: 150), lines: 150)
    }
  }

  @Test func `a dry run changes nothing`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let file = try shell.file("orders.csv", WorkOrders.generated(lines: 20))
      #expect(try await shell.importing(file, "--dry-run")["imported"] as? Int == 20)
      #expect(try await shell.rows("entry", "list").isEmpty)
      #expect(try await shell.rows("machine", "list").isEmpty)
    }
  }

  @Test func `a missing heading is refused with the nearest one`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let file = try shell.file("orders.csv", WorkOrders.generated(lines: 1))
      let outcome = try await shell.fettle(
        "entry",
        "import",
        file,
        "--map",
        "machine=Aset,description=PMType"
      )
      #expect(outcome.status == 6)
      #expect(outcome.errors.contains("hint: did you mean Asset?"))
    }
  }

  /// Line 100 has an impossible date: the file is refused, imported without the line, and the line with a correct date.
  private func correcting(_ shell: Shell, _ text: String, lines: Int) async throws {
    try await shell.makeCompany()
    let good = try shell.file("good.csv", text)
    let bad = try shell.file("bad.csv", WorkOrders.dating(line: 100, "2004-13-45", in: text))
    let refused = try await shell.fettle(arguments: WorkOrders.command(bad))
    #expect(refused.status == 6)
    #expect(refused.errors.contains("error[invalid_import]: line 100: "))
    #expect(refused.errors.contains("nothing was imported"))
    #expect(try await shell.rows("entry", "list").isEmpty)
    #expect(try await shell.rows("machine", "list").isEmpty)

    let left = shell.folder.appending(path: "left.csv")
    let rest = try await shell.importing(bad, "--skip-bad", left.path)
    #expect(rest["imported"] as? Int == lines - 1 && rest["refused"] as? Int == 1)
    // The file of the refused line has the original columns; once corrected, it can be imported directly.
    let kept = try String(contentsOf: left, encoding: .utf8)
    #expect(kept.contains("BscStartDate,Asset,OriginalShorttext,PMType,Cost,line,reason\r\n2004-13-45,"))
    #expect(kept.contains(",100,"))
    let again = try await shell.fettle(arguments: WorkOrders.command(left.path))
    #expect(again.status == 6 && again.errors.contains("line 2: reported_on"))
    let text = kept.replacingOccurrences(of: "\r\n2004-13-45", with: "\r\n2004-12-24")
    let corrected = try await shell.importing(shell.file("left.csv", text))
    #expect(corrected["imported"] as? Int == 1 && corrected["already_there"] as? Int == 0)

    let whole = try await shell.importing(good)
    #expect(whole["imported"] as? Int == 1 && whole["already_there"] as? Int == lines - 1)
  }
}

/// Files of work orders.
enum WorkOrders {
  /// The real file, if it is on this machine.
  static let real: String? = {
    if let named = ProcessInfo.processInfo.environment["FETTLE_EXCAVATOR_CSV"] { return named }
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let beside = package.appending(path: "../shared/data/excavator-work-orders.csv").standardizedFileURL.path
    return FileManager.default.fileExists(atPath: beside) ? beside : nil
  }()

  /// The command of the README that imports such a file.
  static func command(_ file: String) -> [String] {
    [
      "entry", "import", file, "--map",
      "machine=Asset,description=OriginalShorttext,category=PMType,reported_on=BscStartDate,actual_cost=Cost",
      "--set", "status=completed", "--create-missing",
      // Line 3454 of the real file has a shifted cost.
      "--empty-if-unreadable", "actual_cost",
    ]
  }

  /// A file of the same format as the real one, as a spreadsheet on Windows might write it. Before line 100,
  /// each record is one line of text.
  static func generated(lines: Int) -> String {
    var text = "\u{FEFF}BscStartDate,Asset,OriginalShorttext,PMType,Cost\r\n"
    for number in 0..<lines {
      let words =
        switch number {
        case 120: "\"bucket\r\nwon't open\""
        case _ where number % 10 == 0: "replace tooth"
        case _ where number % 10 == 1: #""6"" hose, ""hot"", leaks""#
        case _ where number % 10 == 2: "Schaufel öffnet nicht — дверь 门"
        default: "job \(number)"
        }
      // Every tenth record equals the others of its kind in all columns.
      let day = number % 10 == 0 ? "2004-07-01" : "2004-07-\(10 + number % 20)"
      let machine = number % 10 == 0 ? "A" : ["A", "B", "C", "D", "E"][number % 5]
      text +=
        "\(day),\(machine),\(words == "replace tooth" ? words : #"\#(words)"#),PM0\(1 + number % 2),183.05\r\n"
    }
    return text
  }

  /// The same file with another date in one line, counted from 1.
  static func dating(line: Int, _ date: String, in text: String) -> String {
    // By bytes, because in a Swift string a carriage return and its line feed are one character.
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      Array($0)
    }
    lines[line - 1].replaceSubrange(..<date.utf8.count, with: Array(date.utf8))
    return String(decoding: Array(lines.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
  }
}

extension Shell {
  /// Imports a file of work orders and returns the command's report.
  func importing(_ file: String, _ more: String...) async throws -> [String: Any] {
    let outcome = try await fettle(arguments: WorkOrders.command(file) + more + ["--output", "json"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any] ?? [:]
  }
}
