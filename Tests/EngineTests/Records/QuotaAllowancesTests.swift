import Engine
import FoundationEssentials
import Testing

@Suite struct QuotaAllowancesTests {
  private let key = QuotaAllowances.Key(company: UUID(), quota: "*", maximum: 100, user: nil)

  @Test func `an allowance is used up, and none is taken beyond it`() {
    var allowances = QuotaAllowances()
    let isTaken = allowances.take(1, key, at: 0)
    #expect(!isTaken, "nothing was given")
    allowances.give(3, key, at: 0)
    let taken = [2, 2, 1, 1].map { allowances.take($0, key, at: 1) }
    #expect(taken == [true, false, true, false])
  }

  @Test func `an allowance ends after a minute`() {
    var allowances = QuotaAllowances()
    allowances.give(10, key, at: 5)
    let taken = [4 + QuotaAllowances.validity, 5 + QuotaAllowances.validity].map {
      allowances.take(1, key, at: $0)
    }
    #expect(taken == [true, false])
  }

  @Test func `an allowance is one company's, one quota's and one member's`() {
    var allowances = QuotaAllowances()
    allowances.give(10, key, at: 0)
    for other in [
      QuotaAllowances.Key(company: UUID(), quota: "*", maximum: 100, user: nil),
      QuotaAllowances.Key(company: UUID(), quota: "a.b", maximum: 100, user: nil),
      QuotaAllowances.Key(company: UUID(), quota: "*", maximum: 100, user: UUID()),
    ] {
      let isTaken = allowances.take(1, other, at: 1)
      #expect(!isTaken)
    }
  }
}
