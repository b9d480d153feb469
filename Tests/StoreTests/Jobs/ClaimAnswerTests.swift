import FoundationEssentials
import Postgres
import Testing

@testable import Store

@Suite struct ClaimAnswerTests {
  private let lanes = (0..<3).map { _ in
    Lane(company: UUID(), id: UUID(), queue: "default", kind: "test.job", priority: 2)
  }

  private func takeBatches(_ place: Int, jobs: Int, ends: Bool = false) throws -> LaneBatch {
    LaneBatch(
      place: place,
      no: 7,
      week: try #require(LocalDate(year: 2026, month: 11, day: 16)),
      jobs: jobs,
      claimedAt: jobs > 0 ? Instant(microseconds: 0) : nil,
      endsLane: ends
    )
  }

  private func row(_ place: Int, isCancelled: Bool = false) -> ClaimedRow {
    ClaimedRow(
      place: place,
      id: UUID(),
      round: 1,
      attempt: 1,
      maxAttempts: 5,
      subject: JobSubject(payload: JSON(text: "{}"), causeType: nil, causeID: nil, traceID: nil),
      uniqueKey: nil,
      isAlone: false,
      readyAt: Instant(microseconds: 0),
      isCancelled: isCancelled
    )
  }

  @Test func `jobs belong to their claims, and lanes are empty or busy`() throws {
    let laneBatches = [try takeBatches(3, jobs: 2), try takeBatches(1, jobs: 0, ends: true)]
    var answer = ClaimAnswer(laneBatches, lanes: lanes, batch: 1, lease: .seconds(30))
    try answer.add([row(1), row(1)])
    #expect(answer.jobs.map(\.lane) == [lanes[2].id, lanes[2].id])
    #expect(answer.claims.map(\.lane) == [lanes[2]])
    #expect(answer.empty == [lanes[0]] && answer.busy == [lanes[1]])
  }

  @Test func `a cancelled job is not returned, but its claim exists`() throws {
    var answer = ClaimAnswer([try takeBatches(1, jobs: 2)], lanes: lanes, batch: 1, lease: .seconds(30))
    try answer.add([row(1, isCancelled: true), row(1, isCancelled: true)])
    #expect(answer.jobs.isEmpty)
    #expect(answer.claims.map(\.isIdle) == [true])
  }

  @Test(arguments: [[], [1], [1, 1, 1], [1, 2], [2, 2], [1, 1, 2, 2]])
  func `a claim that is not read as it was taken is not taken`(places: [Int]) throws {
    let laneBatches = [try takeBatches(1, jobs: 2), try takeBatches(2, jobs: 1)]
    var answer = ClaimAnswer(laneBatches, lanes: lanes, batch: 1, lease: .seconds(30))
    #expect(throws: PostgresError.self) { try answer.add(places.map { row($0) }) }
    #expect(answer.jobs.isEmpty)
    try answer.add([row(1), row(2), row(1)])
    #expect(answer.jobs.count == 3)
  }

  @Test func `the jobs of another statement are added`() throws {
    var answer = ClaimAnswer([try takeBatches(1, jobs: 1)], lanes: lanes, batch: 1, lease: .seconds(30))
    try answer.add([row(1)])
    let laneBatches = [try takeBatches(1, jobs: 1, ends: true)]
    var other = ClaimAnswer(laneBatches, lanes: [lanes[2]], batch: 1, lease: .seconds(30))
    try other.add([row(1)])
    answer.join(other, of: [lanes[2]])
    #expect(answer.jobs.map(\.lane) == [lanes[0].id, lanes[2].id])
    #expect(answer.claims.map(\.lane) == [lanes[0], lanes[2]])
    #expect(answer.empty == [lanes[2]] && answer.busy == [lanes[1]])
  }
}
