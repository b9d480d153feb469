import TestDatabase
import TestTools
import Testing

@testable import Postgres

@Suite struct LinkedOrderTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `it keeps the order of insertion`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var order = LinkedOrder<Int>()
    var expected: [Int] = []
    for _ in 0..<1_000 {
      let element = Int.random(in: 0..<20, using: &random)
      if Bool.random(using: &random) {
        order.append(element)
        if !expected.contains(element) { expected.append(element) }
      } else {
        order.remove(element)
        expected.removeAll { $0 == element }
      }
      #expect(order.first == expected.first)
      #expect(order.count == expected.count)
      #expect(order.isEmpty == expected.isEmpty)
      #expect(order.contains(element) == expected.contains(element))
    }
    var rest: [Int] = []
    while let first = order.first {
      rest.append(first)
      order.remove(first)
    }
    #expect(rest == expected)
  }
}
