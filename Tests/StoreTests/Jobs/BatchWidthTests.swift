import Testing

@testable import Store

@Suite struct BatchWidthTests {
  /// What a claim of lanes with so many jobs each gives.
  private func claim(_ width: inout BatchWidth, limit: Int = 1_000, of known: Int, long: Int, busy: Int = 0)
    -> (lanes: Int, jobs: Int)
  {
    let lanes = min(known, width.lanes(for: limit))
    let jobs = lanes * min(long, width.each(of: lanes, for: limit))
    width.learn(jobs: busy == lanes ? 0 : jobs, limit: limit, asked: lanes, busy: busy)
    return (lanes, jobs)
  }

  @Test(arguments: [1, 5, 8, 20, 100, 10_000])
  func `long lanes come to be taken few at a time, and no more is taken than wanted`(known: Int) {
    var width = BatchWidth()
    for _ in 0..<20 { #expect(claim(&width, of: known, long: 100_000).jobs <= 1_000) }
    let (lanes, jobs) = claim(&width, of: known, long: 100_000)
    #expect(lanes == min(8, known))
    #expect(jobs >= 1_000 * 9 / 10)
  }

  @Test(arguments: [1, 3, 20, 50]) func `short lanes are taken whole`(long: Int) {
    var width = BatchWidth()
    for _ in 0..<20 { _ = claim(&width, of: 10_000, long: long) }
    let (lanes, jobs) = claim(&width, of: 10_000, long: long)
    #expect(jobs == lanes * min(long, 1_000 / lanes + 20))
    #expect(jobs >= 500 || lanes == 100)
  }

  @Test func `a small claim takes a few jobs of several lanes`() {
    let width = BatchWidth()
    for limit in [1, 2, 8, 20, 100] {
      let lanes = width.lanes(for: limit)
      #expect(lanes == min(8, limit))
      #expect(lanes * width.each(of: lanes, for: limit) <= limit)
    }
  }

  @Test func `where others are at the same lanes few are taken at a time, until nobody is`() {
    var width = BatchWidth()
    for _ in 0..<10 { _ = claim(&width, of: 2, long: 100_000, busy: 1) }
    #expect(claim(&width, of: 2, long: 100_000).lanes == 1)
    for _ in 0..<20 { _ = claim(&width, of: 100, long: 100_000) }
    #expect(claim(&width, of: 100, long: 100_000).lanes == 8)
  }

  @Test func `a small claim does not learn the length of lanes`() {
    var width = BatchWidth()
    for _ in 0..<5 { _ = claim(&width, limit: 128, of: 10_000, long: 100_000) }
    #expect(width.lanes(for: 1_000) == BatchWidth().lanes(for: 1_000))
  }

  @Test func `to meet somebody now and then narrows nothing`() {
    var width = BatchWidth()
    for _ in 0..<5 { _ = claim(&width, of: 10_000, long: 15, busy: 1) }
    #expect(width.lanes(for: 1_000) == BatchWidth().lanes(for: 1_000))
    _ = claim(&width, of: 10_000, long: 15, busy: 10)
    #expect(width.lanes(for: 1_000) < BatchWidth().lanes(for: 1_000))
  }
}
