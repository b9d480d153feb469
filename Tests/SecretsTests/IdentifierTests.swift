import FoundationEssentials
import Synchronization
import Testing

@testable import Secrets

@Suite struct IdentifierTests {
  @Test func `version 7 has the layout of RFC 9562`() {
    // The example of appendix A.6: 2022-02-22T19:22:22Z, rand_a CC3, rand_b 18C4DC0C0C07398F.
    let tail = UInt128(0xCC3) << 62 | 0x18C4_DC0C_0C07_398F
    let numbers = Mutex([UInt64(tail >> 64), UInt64(truncatingIfNeeded: tail)])
    let generator = UUIDv7Generator(
      now: { 0x017F_22E2_79B0 },
      random: { numbers.withLock { $0.removeFirst() } }
    )
    // The generator clears the counter's top bit, which turns CC3 into 4C3.
    #expect(generator.next().uuidString == "017F22E2-79B0-74C3-98C4-DC0C0C07398F")
  }

  @Test func `ids rise within a millisecond and when the clock is set back`() {
    let clock = Atomic<UInt64>(1_800_000_000_000)
    let generator = UUIDv7Generator(now: { clock.load(ordering: .relaxed) })
    var previous = generator.next()
    for step in 0..<10_000 {
      if step == 5_000 { clock.store(1_700_000_000_000, ordering: .relaxed) }
      let next = generator.next()
      #expect(next.number > previous.number)
      previous = next
    }
  }

  @Test func `a counter that runs over borrows from the next millisecond`() {
    var state = UUIDv7Generator.State(millisecond: 1000, tail: 1 << 74 - 1)
    state.advance(now: 1000, random: (high: 7, low: 7))
    #expect(state.millisecond == 1001)
    #expect(state.tail < 1 << 73)
    state.advance(now: 1000, random: (high: 7, low: 7))
    #expect(state.millisecond == 1001, "the clock has yet to catch up")
  }

  @Test func `ids made at once on many threads differ`() async {
    let generator = UUIDv7Generator()
    let ids = await withTaskGroup(of: [UUID].self) { group in
      for _ in 0..<8 {
        group.addTask { (0..<2000).map { _ in generator.next() } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(ids).count == 16_000)
  }

  @Test func `a deterministic id depends on namespace and every part`() {
    let id = { (namespace: String, parts: [String]) in
      UUID.deterministic(namespace: namespace, parts: parts.map { Array($0.utf8) })
    }
    #expect(id("entry", ["ab", "c"]) == id("entry", ["ab", "c"]))
    let different = [
      id("entry", ["ab", "c"]), id("entry", ["a", "bc"]), id("entry", ["abc"]), id("entry", ["abc", ""]),
      id("time", ["ab", "c"]), id("entry", []),
    ]
    #expect(Set(different).count == different.count)
  }

  @Test func `a deterministic id never changes between releases`() {
    let id = UUID.deterministic(namespace: "entry", parts: [[1, 2, 3]])
    #expect(id.uuidString == "3F2EC6FA-67F5-835F-A58C-BBF2CFD7D57A")
    #expect(id.number >> 76 & 0xF == 8)
    #expect(id.number >> 62 & 0b11 == 0b10)
  }
}
