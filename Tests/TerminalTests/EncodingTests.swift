import Testing

@testable import Terminal

@Suite struct EncodingTests {
  private let small = Table(
    columns: [Column("no", kind: .number), Column("name"), Column("tags")],
    rows: [
      [1, "Åsa \"the\" hose", .list(["a", .null])], [.number("2.50"), .null, .nested([.init("k", true)])],
    ]
  )

  @Test func `json is an array of one object per row`() {
    #expect(
      OutputFormat.json.render(small, on: .pipe) == """
        [
          {"no":1,"name":"Åsa \\"the\\" hose","tags":["a",null]},
          {"no":2.50,"name":null,"tags":{"k":true}}
        ]

        """
    )
    #expect(OutputFormat.json.render(Table(columns: small.columns), on: .pipe) == "[]\n")
  }

  @Test func `json lines is an object a line`() {
    let lines = OutputFormat.jsonl.render(small, on: .pipe).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[1] == #"{"no":2.50,"name":null,"tags":{"k":true}}"#)
  }

  @Test func `a shown record is a single object`() {
    let text = OutputFormat.json.renderRecord(small.columns, small.rows[1], on: .pipe)
    #expect(text == "{\n  \"no\": 2.50,\n  \"name\": null,\n  \"tags\": {\n    \"k\": true\n  }\n}\n")
  }

  @Test func `json escapes mandatory characters and terminal controls`() {
    let text = JSONText.encode("\u{1}\t\u{7F}\u{9B}\u{202E}\u{E0001}\\é👍")
    #expect(text == #""\u0001\t\u007f\u009b\u202e\udb40\udc01\\é👍""#)
  }

  @Test(arguments: ["0", "-0", "1.50", "1e5", "-1.2E-3", "12345678901234567890.123"])
  func `exact numbers pass unchanged`(text: String) {
    #expect(JSONText.encode(.number(text)) == text)
  }

  @Test(arguments: ["NaN", "Infinity", "", "+1", "01", "1.", ".5", "1e", "0x1", "1 ", "1,2", "--1"])
  func `numbers that json cannot represent become text`(text: String) {
    #expect(JSONText.encode(.number(text)) == "\"\(text)\"")
  }

  @Test func `csv follows RFC 4180`() {
    let text = CSVText.line(["a,b", "say \"hi\"", "two\nlines", .null, "", " pad", 5, true, "plain"])
    #expect(text == "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",,\"\",\" pad\",5,true,plain\r\n")
  }

  @Test func `a quote hidden under a combining mark is still doubled`() {
    #expect(CSVText.line(["\"\u{301},x"]) == "\"\"\"\u{301},x\"\r\n")
  }

  @Test(arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "=\u{301}1"])
  func `a text that a spreadsheet would run is neutralised`(formula: String) {
    let line = CSVText.line([.string(formula)])
    #expect(line.hasPrefix("'") || line.hasPrefix("\"'"))
  }

  @Test func `a negative number is no formula but a number in disguise is`() {
    #expect(CSVText.line([.number("-5.00")]) == "-5.00\r\n")
    #expect(CSVText.line([.number("-cmd|x")]) == "'-cmd|x\r\n")
  }

  @Test func `csv has the keys as its header`() {
    #expect(OutputFormat.csv.render(small, on: .pipe).hasPrefix("no,name,tags\r\n1,"))
  }

  @Test(
    arguments: [
      "no", "Yes", "null", "~", "", " x", "x ", "1", "1.5", "2026-01-01", "a: b", "a #b", "- x", "[x]", "{x}",
      "&a", "*a",
      "!t", "|", ">", "'q'", "\"q\"", "%d", "@a", "`b`", "a\nb", "tab\t", "x:", "0x1F", ".inf", "é", "---",
      "=",
    ]
  )
  func `yaml quotes every text that a reader could take for something else`(text: String) {
    #expect(YAMLText.encode(.string(text)) == JSONText.quoted(text))
  }

  @Test(
    arguments: [
      ("\u{0}", #""\x00""#), ("\u{1B}[31m", #""\x1B[31m""#), ("\u{7F}", #""\x7F""#), ("\u{85}", #""\x85""#),
      ("\u{FFFE}", #""\uFFFE""#), ("\u{FFFF}", #""\uFFFF""#), ("\u{FEFF}a", #""\uFEFFa""#),
      ("\u{2028}", #""\u2028""#), ("\u{E0001}", #""\U000E0001""#), ("a\tb\\", #""a\tb\\""#),
    ]
  )
  func `yaml escapes what it forbids in its own way, not in that of JSON`(text: String, yaml: String) {
    #expect(YAMLText.encode(.string(text)) == yaml)
    #expect(YAMLText.encode(.nested([.init(text, .number(text))])) == "{\(yaml): \(yaml)}")
  }

  @Test func `yaml leaves printable characters beyond the basic plane as they are`() {
    #expect(YAMLText.encode(.string("🚜 𝄞")) == "\"🚜 𝄞\"")
  }

  @Test func `yaml is a list of mappings`() {
    #expect(
      OutputFormat.yaml.render(small, on: .pipe) == """
        - "no": 1
          name: "Åsa \\"the\\" hose"
          tags: [a, null]
        - "no": 2.50
          name: null
          tags: {k: true}

        """
    )
    #expect(OutputFormat.yaml.render(Table(columns: small.columns), on: .pipe) == "[]\n")
    #expect(
      OutputFormat.yaml.renderRecord(small.columns, small.rows[1], on: .pipe).hasPrefix(
        "\"no\": 2.50\nname: null\n"
      )
    )
  }

  @Test func `a format of another name gets a suggestion`() {
    let error = #expect(throws: TerminalError.self) { try OutputFormat.parse("jason") }
    #expect(error?.kind == .unknownChoice)
    #expect(error?.hint?.contains("did you mean json?") == true)
    #expect(error?.exitCode == .usage)
  }
}
