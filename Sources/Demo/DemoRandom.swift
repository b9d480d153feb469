internal import Glibc

/// A deterministic random number generator: SplitMix64, seeded with a series, a purpose and an index.
///
/// Each company and purpose has its own generator, so that one company's data does not depend on other
/// companies.
package struct DemoRandom: RandomNumberGenerator {
  private var state: UInt64

  package init(_ series: DemoSeries, _ purpose: String, _ index: Int = 0) {
    // FNV-1a gives each purpose its own seed; the mixing below randomises it.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(series)/\(purpose)/\(index)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    state = hash
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a uniformly distributed number in 0..<1.
  package mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Returns true with the given probability, between 0 and 1.
  package mutating func chance(_ share: Double) -> Bool { unit() < share }

  /// Returns a uniformly distributed integer.
  package mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Returns a normally distributed number, approximated by the sum of twelve uniform ones without a
  /// logarithm.
  package mutating func normal(mean: Double, deviation: Double) -> Double {
    mean + deviation * ((0..<12).reduce(0.0) { sum, _ in sum + unit() } - 6)
  }

  /// Returns a log-normally distributed number with the given median. `spread` is the standard deviation of
  /// its natural logarithm.
  package mutating func logNormal(median: Double, spread: Double) -> Double {
    median * exp(normal(mean: 0, deviation: spread))
  }

  /// Returns a random element of an array that is not empty.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[int(0...(elements.count - 1))]
  }

  /// Returns a random element by weight. The weights must add up to 1.
  package mutating func pick<Element>(_ weighted: [(Element, Double)]) -> Element {
    var rest = unit()
    for (element, share) in weighted {
      rest -= share
      if rest < 0 { return element }
    }
    return weighted[weighted.count - 1].0
  }
}
