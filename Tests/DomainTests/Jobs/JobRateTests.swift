import Testing

@testable import Domain

@Suite struct JobRateTests {
  @Test(arguments: [
    ("100/minute", 100, 60, "100/minute"), ("5/s", 5, 1, "5/second"), ("1000/1d", 1000, 86_400, "1000/day"),
    ("7/90s", 7, 90, "7/90s"), ("2/60m", 2, 3_600, "2/hour"), ("1/48h", 1, 172_800, "1/2d"),
  ])
  func `a rate is read and written in its shortest form`(
    text: String,
    count: Int,
    seconds: Int,
    shortest: String
  )
    throws
  {
    let rate = try JobRate(parsing: text)
    #expect(rate == JobRate(count: count, seconds: seconds) && rate.text == shortest)
    #expect(try JobRate(parsing: rate.text) == rate)
  }

  @Test(arguments: ["", "5", "5/", "/s", "0/s", "5/0s", "5/32d", "-1/s", "5/week", "5/1.5s", "5/99999999s"])
  func `anything else is refused`(text: String) {
    #expect(refusal { _ = try JobRate(parsing: text) }?.code == .invalidDuration)
  }
}
