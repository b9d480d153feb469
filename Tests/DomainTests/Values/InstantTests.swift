import TestTools
import Testing

@testable import Domain

@Suite struct InstantTests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0),
      ("1969-12-31T23:59:59.999999Z", -1),
      ("2026-03-28T21:00:00Z", 1_774_731_600_000_000),
      ("2026-03-28T22:00:00+01:00", 1_774_731_600_000_000),
      ("2026-03-28 21:00:00.5Z", 1_774_731_600_500_000),
      ("2026-03-28T21:00:00.25Z", 1_774_731_600_250_000),
      ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
      ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ] as [(String, Int64)]
  )
  func `a time stamp reads as microseconds since 1970`(text: String, microseconds: Int64) throws {
    #expect(try Instant(parsing: text).microseconds == microseconds)
  }

  @Test(arguments: [
    "", "2026-03-28", "2026-03-28_21:00:00Z", "2026-03-28T21:00:00", "2026-03-28T24:00:00Z",
    "2026-03-28T21:60:00Z", "2026-02-29T21:00:00Z", "2026-03-28T21:00:00.1234567Z", "2026-03-28T21:00:00.Z",
    "2026-03-28T21:00:00+1:00", "2026-03-28T21:00:00Zx", "２026-03-28T21:00:00Z",
  ])
  func `anything but RFC 3339 is refused`(text: String) {
    #expect(refusal { _ = try Instant(parsing: text) }?.code == .invalidInstant)
  }

  @Test(arguments: Seed.several)
  func `printing and reading give the same moment`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    for _ in 0..<50 {
      let instant = Instant(
        microseconds: .random(in: -62_135_596_800_000_000...253_402_300_799_999_999, using: &generator)
      )
      #expect(try Instant(parsing: instant.rfc3339) == instant)
    }
  }

  @Test func `text order is time order for equal precision`() {
    #expect(Instant(seconds: 9).rfc3339 < Instant(seconds: 10).rfc3339)
    #expect(Instant(seconds: 9).description == "1970-01-01T00:00:09Z")
    #expect(Instant(microseconds: 250_000).description == "1970-01-01T00:00:00.25Z")
  }

  @Test func `a distance beyond 64 bits is no moment`() {
    #expect(Instant(microseconds: .max).advanced(byMicroseconds: 1) == nil)
    #expect(Instant(microseconds: .min).microseconds(until: Instant(microseconds: .max)) == .max)
  }
}
