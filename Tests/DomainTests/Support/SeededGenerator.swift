import FoundationEssentials

@testable import Domain

/// A random generator that returns the same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

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
