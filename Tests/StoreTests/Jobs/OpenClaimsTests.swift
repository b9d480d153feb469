import FoundationEssentials
import Postgres
import Testing

@testable import Store

@Suite struct OpenClaimsTests {
  private func claim(_ batch: Int64, jobs: Int) throws -> OpenClaim {
    let lane = Lane(company: UUID(), id: UUID(), queue: "default", kind: "test.job", priority: 2)
    let claim = OpenClaim(
      lane: lane,
      no: 1,
      week: LocalDate(daysSince1970: 20_000),
      claimedAt: Instant(microseconds: 0),
      batch: batch,
      lease: .seconds(60)
    )
    for _ in 0..<jobs { _ = claim.add(UUID()) }
    return claim
  }

  @Test func `a batch without an answer is not left behind, and is asked after for a while`() {
    var claims = OpenClaims()
    let lost = claims.nextBatch()
    let next = claims.nextBatch()
    #expect(claims.oldestBatch == lost, "both may have claimed something by now")
    claims.answer(next, [])
    claims.loseAnswer(lost)
    #expect(claims.oldestBatch == lost, "or a rescue would look past it")
    var beats = 0
    while claims.unansweredBatches() == [lost] { beats += 1 }
    #expect(beats > 30)
    #expect(claims.oldestBatch == next + 1)
  }

  @Test func `a claim is to be acknowledged when its last job is done, and is open until then`() throws {
    var claims = OpenClaims()
    let batch = claims.nextBatch()
    let open = try claim(batch, jobs: 2)
    claims.answer(batch, [open])
    #expect(!open.end(1, isWritten: false, succeeded: true))
    #expect(open.isLast(0) && !open.isLast(1))
    #expect(!open.end(1, isWritten: false, succeeded: true), "a job ends once")
    #expect(open.end(0, isWritten: true, succeeded: false))
    claims.end(open)
    #expect(claims.oldestBatch == batch)
    #expect(claims.takeEnded(10).count == 1)
    #expect(claims.takeEnded(10).isEmpty)
    claims.forget([open])
    #expect(claims.oldestBatch == batch + 1)
  }

  @Test func `a claim with a succeeded job has a success`() throws {
    let fruitless = try claim(1, jobs: 2)
    for place in 0..<2 { _ = fruitless.end(place, isWritten: true, succeeded: false) }
    #expect(!fruitless.hasSuccess)
    let fruitful = try claim(1, jobs: 3)
    _ = fruitful.end(0, isWritten: true, succeeded: false)
    _ = fruitful.end(1, isWritten: true, succeeded: true)
    _ = fruitful.end(2, isWritten: true, succeeded: false)
    #expect(fruitful.hasSuccess)
  }

  @Test func `a claim with a job that was given up is never acknowledged`() throws {
    var claims = OpenClaims()
    let batch = claims.nextBatch()
    let open = try claim(batch, jobs: 2)
    claims.answer(batch, [open])
    open.giveUp(0)
    #expect(!open.isLast(1) && !open.isIdle)
    _ = open.end(1, isWritten: false, succeeded: true)
    claims.end(open)
    #expect(claims.takeEnded(10).isEmpty)
    #expect(open.isIdle && open.unwritten.count == 1)
    #expect(claims.oldestBatch == batch)
  }
}
