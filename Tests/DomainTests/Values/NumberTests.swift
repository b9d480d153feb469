import TestTools
import Testing

@testable import Domain

@Suite struct NumberTests {
  @Test(arguments: ["0", "-0", "12.50", "1e3", "1.5E-7", "123456789012345678901234567890.12", "0.10"])
  func `a number keeps its text`(text: String) throws {
    #expect(try ExactDecimal(parsing: text).text == text)
  }

  @Test(arguments: [
    "", "-", "+1", "01", "1.", ".5", "1e", "NaN", "inf", "0x1F", "1_000", "1,5", " 1", "1e400", "1e-400",
    "1e9999999",
    "0e-373", "0e400", "1e-373", "١", String(repeating: "9", count: 65),
  ])
  func `an invalid JSON number is refused`(text: String) {
    #expect(refusal { _ = try ExactDecimal(parsing: text) }?.code == .invalidNumber)
  }

  @Test(arguments: [
    ("4.6449833018609846e-60", "0." + String(repeating: "0", count: 59) + "46449833018609846"),
    ("1e307", "1" + String(repeating: "0", count: 307)),
    ("0e-372", "0." + String(repeating: "0", count: 372)),
    ("-1.5e-300", "-0." + String(repeating: "0", count: 299) + "15"),
  ])
  func `a number is read again as PostgreSQL writes it`(given: String, stored: String) throws {
    let (given, stored) = (try ExactDecimal(parsing: given), try ExactDecimal(parsing: stored))
    #expect(given == stored && given.canonicalText == stored.canonicalText)
  }

  @Test(arguments: [("1.0", "1"), ("1e3", "1000.00"), ("-0", "0"), ("0.0", "0e7"), ("2.50", "25e-1")])
  func `numbers are equal by value`(left: String, right: String) throws {
    let (left, right) = (try ExactDecimal(parsing: left), try ExactDecimal(parsing: right))
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    #expect(left.canonicalText == right.canonicalText)
  }

  @Test(arguments: Seed.several)
  func `the canonical text means the same number`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    for _ in 0..<50 {
      let mantissa = Int64.random(in: -99_999_999...99_999_999, using: &generator)
      let number = try ExactDecimal(parsing: "\(mantissa)e\(Int.random(in: -30...30, using: &generator))")
      #expect(try ExactDecimal(parsing: number.canonicalText) == number, "\(number)")
    }
  }

  @Test func `whole numbers convert both ways at the edges`() throws {
    for value in [Int64.min, -1, 0, 1, 10, .max] {
      #expect(ExactDecimal(value).integer == value)
      #expect(try ExactDecimal(parsing: String(value)) == ExactDecimal(value))
    }
    #expect(try ExactDecimal(parsing: "9223372036854775808").integer == nil)
    #expect(try ExactDecimal(parsing: "1.5").integer == nil)
    #expect(ExactDecimal(UInt64.max).integer == nil)
  }

  @Test(arguments: [("8", 800), ("8.5", 850), ("8.25", 825), ("-0.5", -50), ("0.00", 0), ("1e1", 1000)])
  func `hours are exact to a hundredth`(text: String, hundredths: Int) throws {
    #expect(try Hours(parsing: text).hundredths == hundredths)
  }

  @Test func `a third decimal is refused rather than rounded`() {
    #expect(refusal { _ = try Hours(parsing: "8.125") }?.code == .invalidNumber)
    #expect(refusal { _ = try Money(parsing: "0.001") }?.code == .invalidNumber)
  }

  @Test(arguments: [(0, "0.00"), (5, "0.05"), (800, "8.00"), (-50, "-0.50"), (1234, "12.34")])
  func `hours print with two decimals`(hundredths: Int, text: String) {
    #expect(Hours(hundredths: hundredths).description == text)
  }

  @Test(
    arguments: [
      (0, 0), (17_999_999, 0), (18_000_000, 1), (-18_000_000, -1), (3_600_000_000, 100), (1_200_000_000, 33),
    ] as [(Int64, Int)]
  )
  func `elapsed time rounds to the nearest hundredth, halves away from zero`(
    microseconds: Int64,
    hundredths: Int
  ) {
    #expect(
      Hours(from: Instant(seconds: 0), to: Instant(microseconds: microseconds)).hundredths == hundredths
    )
  }

  @Test func `money knows its currency by three capitals`() throws {
    #expect(try Money(parsing: "1250", currency: "EUR").description == "1250.00 EUR")
    #expect(try Money(parsing: "-0.05").amount == "-0.05")
    #expect(refusal { _ = try Money(parsing: "1", currency: "eur") }?.code == .invalidInput)
    #expect(refusal { _ = try Money(parsing: "1000000000000") }?.code == .invalidNumber)
  }
}
