import FoundationEssentials
import Testing

@testable import Store

@Suite struct RoundRobinTests {
  private let companies = (0..<3).map { _ in UUID() }

  private func add(
    _ item: String,
    _ company: Int,
    queue: String = "default",
    priority: Int = 2,
    to turns: inout RoundRobin<String>
  ) {
    turns.add(item, at: .init(priority: priority, queue: queue, company: companies[company]))
  }

  private func all(_ turns: inout RoundRobin<String>) -> [String] {
    var items: [String] = []
    while let item = turns.next() { items.append(item) }
    return items
  }

  @Test func `companies take turns, and within one it is first come, first served`() {
    var turns = RoundRobin<String>()
    for number in 1...4 { add("a\(number)", 0, to: &turns) }
    for number in 1...2 { add("b\(number)", 1, to: &turns) }
    add("c1", 2, to: &turns)
    #expect(turns.count == 7)
    #expect(all(&turns) == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
    #expect(turns.isEmpty)
  }

  @Test func `one that comes to a company with many is next after one of each`() {
    var turns = RoundRobin<String>()
    for number in 1...1_000 { add("a\(number)", 0, to: &turns) }
    #expect(turns.next() == "a1")
    add("b1", 1, to: &turns)
    #expect([turns.next(), turns.next()].contains("b1"))
  }

  @Test func `queues share by their weights, whatever each has waiting`() {
    var turns = RoundRobin<String>(weights: ["push": 3, "bulk": 1])
    for _ in 0..<100 {
      add("push", 0, queue: "push", to: &turns)
      add("bulk", 0, queue: "bulk", to: &turns)
    }
    let first = (0..<40).compactMap { _ in turns.next() }
    #expect(first.count { $0 == "push" } == 30)
    #expect(Set(first.prefix(4)).count == 2, "and neither waits for long")
    #expect(all(&turns).count == 160)
  }

  @Test func `urgent lanes go first, from any queue`() {
    var turns = RoundRobin<String>(weights: ["bulk": 100])
    add("later", 0, queue: "bulk", priority: 4, to: &turns)
    add("usual", 0, queue: "bulk", to: &turns)
    add("urgent", 0, priority: 1, to: &turns)
    #expect(all(&turns) == ["urgent", "usual", "later"])
  }

  @Test func `a removed lane leaves the others in their order`() {
    var turns = RoundRobin<String>()
    for number in 1...4 { add("a\(number)", 0, to: &turns) }
    for number in 1...2 { add("b\(number)", 1, to: &turns) }
    #expect(Set(turns.remove { $0.hasSuffix("1") }) == ["a1", "b1"])
    #expect(turns.count == 4)
    #expect(all(&turns) == ["a2", "b2", "a3", "a4"])
  }

  @Test func `a line gives back what came, in order, however long it was`() {
    var line = Line<Int>()
    var given: [Int] = []
    for number in 0..<1_000 {
      line.append(number)
      if number % 3 == 0, let first = line.popFirst() { given.append(first) }
    }
    while let first = line.popFirst() { given.append(first) }
    #expect(given == Array(0..<1_000))
    #expect(line.isEmpty && line.first == nil)
  }
}
