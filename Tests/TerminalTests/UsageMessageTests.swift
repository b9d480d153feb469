import Testing

@testable import Terminal

@Suite struct UsageMessageTests {
  private static let full = """
    Error: Missing expected argument '<machine>'

    Help:  <machine>  Its code, or its id.
    Usage: fettle machine show [<options>] <machine>
      See 'fettle machine show --help' for more information.
    """

  @Test(arguments: [
    ("Missing expected argument '<machine>'", "missing expected argument `<machine>`"),
    ("Unknown option '--machne'", "unknown option `--machne`"),
    (
      "The value 'x' is invalid for '--limit <limit>'",
      "the value \"x\" is invalid for `--limit <limit>`"
    ),
    ("2 unexpected arguments: 'a', 'b'", "2 unexpected arguments: \"a\", \"b\""),
    ("--limit is 1 to 1000", "--limit is 1 to 1000"), ("name a record.", "name a record"),
    ("it's late", "it's late"), ("JSON is expected", "JSON is expected"),
  ])
  func `the parser's sentence reads like every other error`(sentence: String, expected: String) {
    #expect(UsageMessage(sentence, full: "Error: \(sentence)").message == expected)
  }

  @Test func `the hint names the nearest option and the command that prints help`() {
    let missing = UsageMessage("Missing expected argument '<machine>'", full: Self.full)
    #expect(missing.hint == "run `fettle machine show --help` for usage")
    let typo = UsageMessage("Unknown option '--machne'. Did you mean '--machine'?", full: Self.full)
    #expect(typo.message == "unknown option `--machne`")
    #expect(typo.hint == "did you mean `--machine`? run `fettle machine show --help` for usage")
    #expect(UsageMessage("x", full: "Error: x").hint == nil)
  }

  @Test(arguments: [
    "The value 'xml' is invalid for '--output <output>'. Please provide one of 'table', 'json' or 'csv'.",
    "The value 'xml' is invalid for '--output <output>'. Please provide one of the following:\n  - table\n  - json\n  - csv",
  ])
  func `the choices are in the hint`(sentence: String) {
    let usage = UsageMessage(sentence, full: "Error: \(sentence)")
    #expect(usage.message == "the value \"xml\" is invalid for `--output <output>`")
    #expect(usage.hint == "use one of: table, json, csv")
  }

  @Test(
    arguments: [
      (
        ["site", "--latitude", "-33.8"],
        [["site", "--latitude=-33.8"], ["site", "--latitude", "--", "-33.8"]]
      ),
      (["read", "Hours", "-5", "--machine", "M"], [["read", "Hours", "--machine", "M", "--", "-5"]]),
      (
        ["read", "--reset", "-.5", "-c", "x"],
        [["read", "--reset=-.5", "-c", "x"], ["read", "--reset", "-c", "x", "--", "-.5"]]
      ),
      (["add", "-1e3", "--", "-7"], [["add", "--", "-1e3", "-7"]]),
      (["list", "--limit", "5"], []), (["list", "-x"], []), (["list", "--a=-5"], []), (["-5"], []),
    ] as [([String], [[String]])]
  )
  func `negative numbers are marked as values`(words: [String], expected: [[String]]) {
    #expect(NegativeNumbers.spellings(of: words) == expected)
  }

  @Test(arguments: [
    ("-", false), ("-5", true), ("-0.25", true), ("--5", false), ("-x5", false), ("5", false),
  ])
  func `a negative number is a dash and a number`(word: String, expected: Bool) {
    #expect(NegativeNumbers.isNegativeNumber(word) == expected)
  }
}
