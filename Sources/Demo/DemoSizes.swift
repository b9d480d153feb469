/// The relative sizes of a load's companies. A larger company gets more of all data.
package struct DemoSizes: Sendable {
  let sizes: [Double]

  /// The number of companies.
  package var count: Int { sizes.count }

  /// Distributes a total among the companies in proportion to their sizes, at least `least` to each.
  package func deal(_ total: Int, least: Int = 0) -> [Int] {
    DemoShares.deal(total, sizes, least: least)
  }
}

/// Distributes totals in proportion to weights, in whole numbers.
package enum DemoShares {
  /// Returns one share per weight, at least `least` each. Rounds by the largest remainder.
  ///
  /// The shares add up to `total`, or to more if `least` requires it. If the weights add up to 0, all shares
  /// are 0.
  package static func deal(_ total: Int, _ weights: [Double], least: Int = 0) -> [Int] {
    let sum = weights.reduce(0, +)
    guard sum > 0, !weights.isEmpty else { return weights.map { _ in 0 } }
    let spare = max(0, total - least * weights.count)
    let exact = weights.map { Double(spare) * $0 / sum }
    var shares = exact.map { Int($0) }
    let order = exact.indices.sorted {
      (exact[$1] - exact[$1].rounded(.down), $0) < (exact[$0] - exact[$0].rounded(.down), $1)
    }
    for index in order.prefix(spare - shares.reduce(0, +)) { shares[index] += 1 }
    return shares.map { $0 + least }
  }

  /// Distributes a total in proportion to counts, for example stops among plans.
  package static func deal(_ total: Int, along others: [Int]) -> [Int] {
    deal(total, others.map { Double($0) })
  }
}
