import FoundationEssentials
import Testing

@testable import Store

@Suite struct LaneWalkTests {
  private let companies = (0..<4).map { _ in UUID() }

  private func lane(_ company: Int, _ kind: String = "a", priority: Int = 2) -> Lane {
    Lane(company: companies[company], id: UUID(), queue: "default", kind: kind, priority: priority)
  }

  @Test func `a company's turn comes after one turn of every other, however many lanes it has`() {
    var walk = LaneWalk()
    let many = (0..<5).map { lane(0, "kind\($0)") }
    let (one, another) = (lane(1), lane(2))
    walk.add(many + [one, another])
    let turns = (0..<15).flatMap { _ in walk.next(1) }
    #expect(turns.map(\.company) == (0..<15).map { companies[$0 % 3] })
    #expect(
      Set(turns.filter { $0.company == companies[0] }) == Set(many),
      "and each of its lanes has its own"
    )
  }

  @Test func `several turns at once are of different companies`() {
    var walk = LaneWalk()
    walk.add([lane(0, "a"), lane(0, "b"), lane(1), lane(2)])
    #expect(Set(walk.next(3).map(\.company)).count == 3)
    #expect(walk.next(10).count == 3)
  }

  @Test func `the urgent go first until they are empty`() {
    var walk = LaneWalk()
    let (low, normal, urgent) = (lane(0, priority: 3), lane(1), lane(2, priority: 1))
    walk.add([low, normal, urgent])
    #expect(walk.next(5) == [urgent])
    walk.remove(urgent)
    #expect(walk.next(5) == [normal])
    walk.remove(normal)
    #expect(walk.next(5) == [low])
    walk.remove(low)
    #expect(walk.next(5).isEmpty && walk.isEmpty)
  }

  @Test func `what is known is not added twice, and what was removed comes back`() {
    var walk = LaneWalk()
    let only = lane(0)
    walk.add([only, only])
    walk.add([only])
    walk.remove(only)
    #expect(walk.isEmpty)
    walk.add([only])
    #expect(walk.next(2) == [only])
  }
}
