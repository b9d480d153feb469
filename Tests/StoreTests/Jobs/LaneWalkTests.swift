import FoundationEssentials
import Testing

@testable import Store

@Suite struct LaneWalkTests {
  private let companies = (0..<4).map { _ in UUID() }

  private func lane(_ company: Int, _ kind: String = "a", priority: Int = 2) -> Lane {
    Lane(company: companies[company], id: UUID(), queue: "default", kind: kind, priority: priority)
  }

  /// Takes the next lane and returns it as if it had more jobs.
  private func turn(_ walk: inout LaneWalk) -> Lane? {
    guard let lane = walk.next(1).first else { return nil }
    walk.put(lane, hasMore: true)
    return lane
  }

  @Test func `a company's turn comes after one turn of every other, however many lanes it has`() {
    var walk = LaneWalk()
    let many = (0..<5).map { lane(0, "kind\($0)") }
    let (one, another) = (lane(1), lane(2))
    walk.add(many + [one, another])
    let turns = (0..<15).compactMap { _ in turn(&walk) }
    for start in stride(from: 0, to: 15, by: 3) {
      #expect(Set(turns[start..<start + 3].map(\.company)).count == 3)
    }
    #expect(
      Set(turns.filter { $0.company == companies[0] }) == Set(many),
      "and each of its lanes has its own"
    )
  }

  @Test func `a new lane gets its first turn before the next turn of waiting ones`() {
    var walk = LaneWalk()
    let long = (0..<3).map { lane($0) }
    walk.add(long)
    _ = turn(&walk)
    let late = lane(3)
    walk.add([late])
    #expect(turn(&walk) == late)
    #expect((0..<4).compactMap { _ in turn(&walk) }.last == late, "and then a turn like all others")
  }

  @Test func `new lanes do not starve waiting ones`() {
    var walk = LaneWalk()
    let long = lane(0)
    walk.add([long])
    var turns = 0
    for _ in 0..<20 {
      walk.add([lane(1), lane(2)])
      guard let next = walk.next(1).first else { break }
      walk.put(next, hasMore: next == long)
      if next == long { turns += 1 }
    }
    #expect(turns == 10)
    walk.add((0..<20).map { lane(1, "kind\($0)") })
    #expect(walk.next(4).contains(long))
  }

  @Test func `a new lane of a lower priority goes before nobody`() {
    var walk = LaneWalk()
    let (urgent, late) = (lane(0, priority: 1), lane(1, priority: 3))
    walk.add([urgent])
    walk.add([late])
    #expect(walk.next(5) == [urgent])
    #expect(walk.next(5) == [late])
  }

  @Test func `several lanes at once are of different companies first`() {
    var walk = LaneWalk()
    walk.add([lane(0, "a"), lane(0, "b"), lane(1), lane(2)])
    #expect(Set(walk.next(3).map(\.company)).count == 3)
    #expect(walk.next(10).map(\.company) == [companies[0]])
    #expect(walk.next(10).isEmpty, "all are out")
  }

  @Test func `the urgent go first until they are empty`() {
    var walk = LaneWalk()
    let (low, normal, urgent) = (lane(0, priority: 3), lane(1), lane(2, priority: 1))
    walk.add([low, normal, urgent])
    #expect(walk.next(5) == [urgent])
    walk.put(urgent, hasMore: true)
    for expected in [urgent, normal, low] {
      #expect(walk.next(5) == [expected])
      walk.put(expected, hasMore: false)
    }
    #expect(walk.next(5).isEmpty && walk.isEmpty)
  }

  @Test func `a known lane is not added twice, and an emptied one returns`() {
    var walk = LaneWalk()
    let only = lane(0)
    walk.add([only, only])
    walk.add([only])
    #expect(walk.next(2) == [only])
    walk.put(only, hasMore: false)
    #expect(walk.isEmpty)
    walk.add([only])
    #expect(walk.next(2) == [only])
  }

  @Test func `a lane that is told of while it is claimed from stays, though it seemed empty`() {
    var walk = LaneWalk()
    let only = lane(0)
    walk.add([only])
    #expect(walk.next(1) == [only])
    walk.add([only])
    walk.put(only, hasMore: false)
    #expect(walk.next(1) == [only])
    walk.put(only, hasMore: false)
    #expect(walk.isEmpty)
  }
}
