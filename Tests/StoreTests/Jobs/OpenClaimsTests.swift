import FoundationEssentials
import Testing

@testable import Store

@Suite struct OpenClaimsTests {
  @Test func `a batch without an answer is not left behind, and is asked after for a while`() {
    var claims = OpenClaims()
    let lost = claims.nextBatch()
    let next = claims.nextBatch()
    #expect(claims.oldestBatch == next + 1, "all is settled")
    claims.loseAnswer(lost)
    #expect(claims.oldestBatch == lost, "or a rescue would look past it")
    var beats = 0
    while claims.unansweredBatches() == [lost] { beats += 1 }
    #expect(beats > 30)
    #expect(claims.oldestBatch == next + 1)
  }
}
