import FoundationEssentials
import TestTools

extension SeededRandom {
  /// Returns a random subset.
  mutating func subset<Element>(of elements: [Element], chance: Double = 0.5) -> [Element] {
    elements.filter { _ in Double.random(in: 0..<1, using: &self) < chance }
  }
}

/// The seeds of a run: random, so that repeated runs cover more; `FETTLE_SEED` repeats one run.
enum Seed {
  static let first: UInt64 = {
    let given = ProcessInfo.processInfo.environment["FETTLE_SEED"].flatMap(UInt64.init)
    let seed = given ?? UInt64.random(in: 0...9_999_999)
    print("property tests: FETTLE_SEED=\(seed)")
    return seed
  }()

  /// Enough seeds for one property test.
  static let several: [UInt64] = (0..<40).map { first &+ $0 }
}
