/// The companies of a load by size: the larger a company, the more it has of everything.
package struct DemoSizes: Sendable {
  let sizes: [Double]

  /// The number of companies.
  package var count: Int { sizes.count }

  /// Deals a total among the companies, each at least so many.
  package func deal(_ total: Int, least: Int = 0) -> [Int] {
    DemoShares.deal(total, sizes, least: least)
  }
}

/// Deals a number of things out to several in proportion to their weights, every thing to somebody.
package enum DemoShares {
  /// As many as there are weights, adding up to `total`; the largest remainders get what division leaves.
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

  /// Deals a total in proportion to numbers, such as stops along the plans that they belong to.
  package static func deal(_ total: Int, along others: [Int]) -> [Int] {
    deal(total, others.map { Double($0) })
  }
}
