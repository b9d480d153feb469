import Testing

@testable import Domain

@Suite struct NumberFormatTests {
  @Test(arguments: ["WO-{n}", "A{n}", "SRV.2026/{n}", "X_{n}"])
  func `a prefix followed by the counter is a format`(text: String) throws {
    let format = try NumberFormat(text)
    #expect(format.text == text)
    #expect(format.number(1_007) == "\(format.prefix)1007")
    #expect(NumberFormat.counter(in: format.number(1_007)) == 1_007)
  }

  @Test(
    arguments: [
      "{n}", "WO-", "WO-{n}-A", "wo-{n}", "WO 1{n}", "WO1{n}", "1WO-{n}", "-{n}", "Ä-{n}", "WO-{N}",
      "ABCDEFGHIJKLMNOPQ{n}",
    ]
  )
  func `other texts are refused`(text: String) {
    #expect(throws: DomainError.self) { try NumberFormat(text) }
  }

  @Test func `a counter is read from names that end in one`() {
    #expect(NumberFormat.counter(in: "WO-1007") == 1_007)
    #expect(NumberFormat.counter(in: "wo-7") == 7)
    for text in ["1007", "WO-", "WO-007", "", "WO-9223372036854775808"] {
      #expect(NumberFormat.counter(in: text) == nil, "\(text)")
    }
  }
}
