import Domain
import Store
import Testing

/// YAML as people write it: the values that it means, and the lines of its faults.
@Suite struct YAMLReaderTests {
  private func value(_ text: String) throws -> JSONValue {
    try YAMLDocument.decode(JSONValue.self, text, document: "x.yaml")
  }

  private func refusal(_ text: String) throws -> DomainError {
    try #require(throws: DomainError.self) { try value(text) }
  }

  @Test(
    arguments: [
      ("12", 12), ("-12", -12), ("+12", 12), ("1_000", 1_000), ("0", 0), ("0x1F", 31), ("-0x1f", -31),
      ("0b101", 5), ("0o17", 15), ("017", 15), ("1:30", 90), ("-1:00:01", -3_601), ("true", true),
      ("Yes", true),
      ("ON", true), ("false", false), ("no", false), ("off", false), ("null", nil), ("~", nil), ("Null", nil),
      ("", nil), ("nothing", "nothing"), ("'12'", "12"), ("\"12\"", "12"), ("'true'", "true"), ("''", ""),
      ("\"~\"", "~"), ("!!str 12", "12"), ("\"a\\tb\\u00e4\"", "a\tbä"), ("'it''s'", "it's"),
      (".inf", ".inf"),
      ("nan", "nan"), ("2026-01-31", "2026-01-31"), ("10:30 o'clock", "10:30 o'clock"),
      ("2026-01-31T10:30:00Z", "2026-01-31T10:30:00Z"), ("[1, a]", [1, "a"]),
      ("{ a: 1, b: [] }", ["a": 1, "b": []]),
      ("|\n  a\n  b\n", "a\nb\n"), (">-\n  12\n", "12"),
    ] as [(String, JSONValue)]
  )
  func `a scalar is a number, a truth value or null only without quotes`(
    _ text: String,
    _ expected: JSONValue
  ) throws {
    #expect(try value("a: \(text)") == ["a": expected])
    #expect(try value("- \(text)\n") == [expected])
  }

  @Test func `numbers with decimals are read, and those beyond an integer are not exact`() throws {
    #expect(try value("[1.5, 1e3, 089]") == JSONValue(parsing: "[1.5, 1000, 89]"))
    // Beyond every integer, in base 60 too.
    for text in ["99999999999999999999", "9999999999999999:59:59:59:59"] {
      #expect(try value("[\(text)]").array?.first?.number != nil)
    }
    #expect(throws: DomainError.self) {
      try YAMLDocument.decode([Int].self, "[9999999999999999:59:59:59:59]", document: "x.yaml")
    }
    #expect(
      try YAMLDocument.decode([String].self, "[1.50, on, 0x1F, 12:30]", document: "x.yaml")
        == ["1.50", "on", "0x1F", "12:30"]
    )
    #expect(try YAMLDocument.decode([UInt8?].self, "[255, ~]", document: "x.yaml") == [255, nil])
    for text in ["[256]", "[-1]", "['1']", "[a]", "[[1]]", "[{}]"] {
      #expect(throws: DomainError.self) { try YAMLDocument.decode([UInt8].self, text, document: "x.yaml") }
    }
  }

  @Test(
    arguments: [
      ("a: 1\nb: [1, 2\nc: 3\n", 3), ("a: 1\n  b: 2\n", 2), ("a: \"open\nb: 2\n", 3), ("a: 1\n\tb: 2\n", 2),
      ("a: 1\nb: @x\n", 2), ("a: 1\nb: %x\n", 2), ("a: 1\n\nb: \u{1}\n", 3), ("a: 1\nb\n", 3),
      ("a: 1\nb: 2\na: 3\n", 3), ("a: 1\n\"a\": 3\n", 2), ("a: &x 1\n", 1), ("a: 1\nb: *x\n", 2),
      ("a: 1\n---\nb: 2\n", 2), ("a: 1\n? [x]\n: 2\n", 2), ("a: 1\n<<: { b: 2, b: 3 }\n", 2),
    ]
  )
  func `a fault is refused in one sentence with its line`(_ text: String, _ line: Int64) throws {
    let error = try refusal(text)
    #expect(error.code == .invalidDocument)
    #expect(error.details["line"]?.number?.integer == line, "\(error)")
    #expect(error.message.hasPrefix("x.yaml:\(line): ") && !error.message.contains("\n"), "\(error)")
    #expect(!error.hint.isEmpty)
  }

  @Test func `limits of nodes, keys and depth are those of the document`() throws {
    let limits = DocumentLimits(bytes: 1_000, nodes: 8, depth: 3, keys: 2)
    func isRead(_ text: String) -> Bool {
      (try? YAMLDocument.decode(JSONValue.self, text, document: "x.yaml", limits: limits)) != nil
    }
    #expect(isRead("[1, 2, 3, 4, 5, 6, 7]") && !isRead("[1, 2, 3, 4, 5, 6, 7, 8]"))
    #expect(isRead("{ a: 1, b: 2 }") && !isRead("{ a: 1, b: 2, c: 3 }"))
    #expect(isRead("[[{}]]") && !isRead("[[[{}]]]"))
    #expect(!isRead("# " + String(repeating: "x", count: 1_000)))
  }

  @Test func `a text of JSON has the same value in YAML`() throws {
    for text in [
      #"{"a":[1,-2,0.5,true,false,null,"x\n\"y\"","ä"],"b":{},"c":[],"on":"on","1":{"d":""}}"#, "[]", "{}",
      "\"\"",
      "[[],[[]]]",
    ] {
      #expect(try value(text) == JSONValue(parsing: text))
    }
  }

  @Test func `a document without a value has no object`() throws {
    for text in ["", "# nothing\n", "\u{FEFF}", "---\n", "--- ~\n..."] {
      let error = #expect(throws: DomainError.self) {
        try YAMLDocument.decode(JSONObject.self, text, document: "x.yaml")
      }
      #expect(error?.message == "x.yaml: the value has the wrong type", "\(text.debugDescription)")
    }
  }
}
