import EndToEndFixtures
import Foundation
import Testing

/// Valid and invalid files as spreadsheets and other programs write them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ImportFileTests {
  /// A file of work orders as saved by Excel in Western Europe.
  private static let semicolons = """
    BscStartDate;Asset;OriginalShorttext;PMType;Cost\r
    2004-07-01;A;Schaufel öffnet nicht – „klemmt“;PM01;183.05\r
    2004-07-02;B;"Schlauch; undicht";PM02;\r

    """

  /// An encoding of a file, and the options that name it.
  struct Form: Sendable, CustomTestStringConvertible {
    let encoding: String.Encoding
    let isMarked: Bool
    var options: [String] = []

    var testDescription: String { "\(encoding)\(isMarked ? " with a byte order mark" : "")" }
  }

  private static let forms = [
    Form(encoding: .windowsCP1252, isMarked: false, options: ["--encoding", "windows-1252"]),
    Form(encoding: .utf16LittleEndian, isMarked: true),
    Form(encoding: .utf16BigEndian, isMarked: true),
    Form(encoding: .utf16LittleEndian, isMarked: false, options: ["--encoding", "utf-16"]),
    Form(encoding: .utf8, isMarked: true),
  ]

  @Test(arguments: forms)
  func `a file with semicolons is imported in every encoding that Excel writes, once`(form: Form) async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let path = try shell.file("excel.csv", Self.semicolons, form)
      let all = form.options + ["--delimiter", "semicolon"]
      #expect(try await shell.imported(path, all)["imported"] as? Int == 2)
      #expect(try await shell.imported(path, all)["already_there"] as? Int == 2)
      // The ids are derived from the values, so the same table in plain CSV is the same import.
      let plain = try shell.file(
        "plain.csv",
        Self.semicolons.replacingOccurrences(of: "\"Schlauch; undicht\"", with: "Schlauch@ undicht")
          .replacingOccurrences(of: ";", with: ",").replacingOccurrences(of: "@", with: ";")
      )
      #expect(try await shell.imported(plain, [])["already_there"] as? Int == 2)
      let texts = try await shell.rows("entry", "list").compactMap { $0["description"] as? String }
      #expect(Set(texts) == ["Schaufel öffnet nicht – „klemmt“", "Schlauch; undicht"])
    }
  }

  @Test(arguments: forms.prefix(2))
  func `refused lines keep delimiter and encoding, and are imported by the same command once corrected`(
    form: Form
  )
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let bad =
        Self.semicolons.replacingOccurrences(of: "2004-07-01", with: "0204-07-01")
        + "2004-07-03;A;zu kurz\r\n"
      let path = try shell.file("excel.csv", bad, form)
      let left = shell.folder.appending(path: "left.csv")
      let all = form.options + ["--delimiter", ";"]
      let rest = try await shell.imported(path, all + ["--skip-bad", left.path])
      #expect(rest["imported"] as? Int == 1 && rest["refused"] as? Int == 2)
      let kept = try #require(
        String(data: Data(contentsOf: left), encoding: form.isMarked ? .utf16 : form.encoding)
      )
      #expect(
        kept == """
          BscStartDate;Asset;OriginalShorttext;PMType;Cost;line;reason\r
          0204-07-01;A;Schaufel öffnet nicht – „klemmt“;PM01;183.05;2;\
          "reported_on: ""0204-07-01"" is outside the years 1900 to 2200"\r
          2004-07-03;A;zu kurz;4;the line has 3 fields, the heading has 5\r

          """
      )
      // Without a correction it is refused again, and the new file of refused lines has the two columns once.
      let second = shell.folder.appending(path: "second.csv")
      #expect(try await shell.imported(left.path, all + ["--skip-bad", second.path])["refused"] as? Int == 2)
      let again = try #require(
        String(data: Data(contentsOf: second), encoding: form.isMarked ? .utf16 : form.encoding)
      )
      #expect(again.hasPrefix("BscStartDate;Asset;OriginalShorttext;PMType;Cost;line;reason\r\n"))
      let corrected = kept.replacingOccurrences(of: "0204-07-01;", with: "2004-07-01;")
        .replacingOccurrences(of: "zu kurz", with: "zu kurz;PM01;")
      let file = try shell.file("corrected.csv", corrected, form)
      #expect(try await shell.imported(file, all)["imported"] as? Int == 2)
    }
  }

  @Test func `JSON lines that are refused are objects with line and reason, and are imported once corrected`()
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let text = """
        {"code": "RM-001", "name": "Roller"}
        {"code": "RM-002", "name": 5, "photo_id": null}
        {"code": "RM-003"}
        {"code": "RM-004"
        """
      let left = shell.folder.appending(path: "left.jsonl")
      let path = try shell.file("machines.jsonl", text)
      let refused = try await shell.fettle("record", "import", "maintenance.machine", path)
      #expect(refused.status == 6)
      #expect(refused.errors.contains("line 3: name is missing; line 4: the line is not valid JSON"))
      let rest = try await shell.rows(
        "record",
        "import",
        "maintenance.machine",
        path,
        "--skip-bad",
        left.path
      )
      #expect(rest.first?["imported"] as? Int == 2 && rest.first?["refused"] as? Int == 2)
      let kept = try String(contentsOf: left, encoding: .utf8)
      #expect(
        kept == """
          {"code":"RM-003","line":3,"reason":"name is missing"}
          {"code": "RM-004"

          """
      )
      let corrected = kept.replacingOccurrences(of: #""RM-003""#, with: #""RM-003","name":"Three""#)
        .replacingOccurrences(of: #""RM-004""#, with: #""RM-004","name":"Four"}"#)
      let file = try shell.file("corrected.jsonl", corrected)
      #expect(
        try await shell.rows("record", "import", "maintenance.machine", file).first?["imported"] as? Int == 2
      )
    }
  }

  @Test(arguments: [
    ("a.csv", "name,name\nA,B\n", #"line 1: the heading "name" occurs twice"#),
    ("a.csv", "", "line 1: the file is empty"), ("a.jsonl", "\n\n", "line 1: the file is empty"),
    ("a.csv", "machine,machine_id,name\nA,A,B\n", "the field machine_id is given twice"),
    ("a.csv", "machine;name|x\nA;B|C\n", "--delimiter semicolon"),
    ("a.csv", "PK\u{3}\u{4}aaaaaaaaaaaaaaaaaaaaaaaaaa[Content_Types].xml", "a workbook of Excel (.xlsx)"),
    ("a.jsonl", "[1]\n", "line 1: the line is not a JSON object"),
    ("a.jsonl", "{\"name\": \"A\"}\nnonsense\n", "line 2: the line is not valid JSON"),
  ])
  func `a file that cannot be read is refused with its line`(name: String, text: String, message: String)
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let refused = try await shell.fettle("record", "import", "maintenance.category", shell.file(name, text))
      #expect(refused.status == 6)
      #expect(refused.errors.contains(message), "\(refused.errors)")
    }
  }

  @Test func `bytes that are no UTF-8 refuse their line, in JSON lines and in CSV`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      for (name, head) in [("a.jsonl", #"{"name": "ok"}"# + "\n" + #"{"name": "#), ("a.csv", "name\nok\n")] {
        let bytes = Data(head.utf8) + Data([0x22, 0xE4, 0x22]) + Data((name == "a.csv" ? "\n" : "}\n").utf8)
        let url = shell.folder.appending(path: name)
        try bytes.write(to: url)
        let refused = try await shell.fettle("record", "import", "maintenance.category", url.path)
        #expect(refused.status == 6)
        #expect(refused.errors.contains("line \(name == "a.csv" ? 3 : 2): the line is not valid UTF-8"))
        #expect(refused.errors.contains("--encoding windows-1252"))
      }
      let encoded = shell.folder.appending(path: "a.jsonl").path
      let done = try await shell.rows(
        "record",
        "import",
        "maintenance.category",
        encoded,
        "--encoding",
        "windows-1252"
      )
      #expect(done.first?["imported"] as? Int == 2)
    }
  }

  @Test func `fields that only later lines of JSON have are imported`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-001", "--name", "Roller")
      let file = try shell.file(
        "a.jsonl",
        "{\"name\": \"One\"}\n{\"name\": \"Two\", \"machine\": \"RM-001\"}\n"
      )
      #expect(
        try await shell.rows("record", "import", "maintenance.category", file).first?["imported"] as? Int == 2
      )
      let categories = try await shell.rows("record", "list", "maintenance.category", "--where", "name=Two")
      #expect(categories.first?["machine_id"] is String)
    }
  }

  @Test func `a pipe is imported, and the file of refused lines itself is refused before anything is read`()
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany()
      for source in ["-", "/dev/stdin"] {
        let piped = try await shell.bash(
          "printf 'code;name\\nP-1;B\\n' | fettle record import maintenance.machine \(source)"
        )
        #expect(piped.status == 0, "\(piped.errors)")
      }
      #expect(try await shell.rows("machine", "list").count == 1)
      let file = try shell.file("machines.csv", "code,name\nA,B\n")
      let same = try await shell.fettle("record", "import", "maintenance.machine", file, "--skip-bad", file)
      #expect(same.status == 6 && same.errors.contains("is the imported file itself"))
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "code,name\nA,B\n")
    }
  }

  @Test func `the delimiter is the heading's, and a wrong one is refused with the right one`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let path = try shell.file("excel.csv", Self.semicolons)
      let refused = try await shell.fettle(arguments: WorkOrders.command(path) + ["--delimiter", "tab"])
      #expect(refused.status == 6 && refused.errors.contains("--delimiter semicolon"))
      #expect(try await shell.imported(path, [])["imported"] as? Int == 2)
    }
  }

  @Test func `a German file is imported as it is, and one left empty is completed by the right notation`()
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let path = try shell.file(
        "costs.csv",
        """
        BscStartDate;Asset;OriginalShorttext;PMType;Cost
        01.03.2026;A;Hose;Engine;151,97
        28.03.2026;A;Pump;Engine;1.355,90 €
        03.03.2026;A;Filter;Engine;48,00

        """
      )
      let empty = try await shell.imported(path, ["--decimal", "point"])
      #expect(empty["imported"] as? Int == 3 && empty["left_empty"] as? Int == 3)
      let repaired = try await shell.fettle(arguments: WorkOrders.command(path))
      #expect("\(repaired.output)\(repaired.errors)".contains("completed 3"), "\(repaired.errors)")
      let entries = try await shell.rows("entry", "list", "--sort", "reported_on")
      #expect(entries.map { $0["actual_cost"] as? Double } == [151.97, 48, 1_355.9], "\(entries)")
      let text = "BscStartDate,Asset,OriginalShorttext,PMType,Cost\n01/02/2026,A,x,Y,1\n"
      let asked = try shell.file("dates.csv", text)
      let refused = try await shell.fettle(arguments: WorkOrders.command(asked))
      #expect(refused.status == 6 && refused.errors.contains("--date-format dd/mm/yyyy"), "\(refused.errors)")
      #expect(try await shell.imported(asked, ["--date-format", "mm/dd/yyyy"])["imported"] as? Int == 1)
    }
  }

  @Test func `created records that look like a shifted row are named in the summary`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      var text = "BscStartDate,Asset,OriginalShorttext,PMType,Cost\n"
      for day in 1...20 { text += "2004-07-\(day < 10 ? "0" : "")\(day),A,replace tooth,PM01,10\n" }
      // The text lacks quotes and the date is missing, so the number of fields is right and the columns are
      // shifted.
      text +=
        "2004-07-21,leaks,BUCKET,183.05,5\n2004-07-22,PM01,bucket,PM01,\n2004-07-23,2004-07-01,x,PM01,\n"
      let path = try shell.file("orders.csv", text)
      let outcome = try await shell.imported(path, [])
      let shifted = try #require(outcome["looks_shifted"] as? [[String: Any]])
      let found = shifted.map { "\($0["name"] ?? ""), line \($0["line"] ?? ""): \($0["reason"] ?? "")" }
      #expect(
        Set(found) == [
          "183.05, line 22: it is a number", "PM01, line 23: it is a value of category_id",
          "2004-07-01, line 24: it is a date",
        ]
      )
      try await shell.done("company", "create", "other", "--owner", "eva@acme.example", "--owner-name", "Eva")
      let told = try await shell.fettle(arguments: WorkOrders.command(path) + ["--company", "other"])
      #expect(
        told.errors.contains(
          #"line 22: created the category "183.05", but it is a number; are its columns shifted?"#
        )
      )
    }
  }

  @Test func `dates outside 1900 to 2200 are refused where they are set`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-001", "--name", "Roller")
      let added = try await shell.fettle(
        "record",
        "create",
        "maintenance.entry",
        "machine=RM-001",
        "description=x",
        "reported_on=0204-07-01"
      )
      #expect(added.status == 6 && added.errors.contains("outside the years 1900 to 2200"), "\(added.errors)")
      let granted = try await shell.fettle("entitlement", "grant", "pro", "--until", "9999-01-01T00:00:00Z")
      #expect(granted.status == 6 && granted.errors.contains("outside the years"), "\(granted.errors)")
    }
  }
}

extension Shell {
  /// Writes a file in an encoding.
  fileprivate func file(_ name: String, _ text: String, _ form: ImportFileTests.Form) throws -> String {
    let url = folder.appending(path: name)
    try #require((form.isMarked ? "\u{FEFF}" + text : text).data(using: form.encoding)).write(to: url)
    return url.path
  }

  /// Imports a file of work orders with more options, and returns the summary.
  fileprivate func imported(_ file: String, _ options: [String]) async throws -> [String: Any] {
    let outcome = try await fettle(arguments: WorkOrders.command(file) + options + ["--output", "json"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any] ?? [:]
  }
}
