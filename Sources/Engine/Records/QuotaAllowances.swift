package import FoundationEssentials

/// The records that a process may create without counting: a part of what a quota leaves, given out for a minute.
package struct QuotaAllowances: Sendable {
  /// The company, the quota, and for private records the member whose records were counted.
  package struct Key: Hashable, Sendable {
    let company: UUID
    let quota: String
    let user: UUID?

    package init(company: UUID, quota: String, user: UUID?) {
      self.company = company
      self.quota = quota
      self.user = user
    }
  }

  private struct Allowance {
    var left: Int64
    let until: Int64
  }

  /// Microseconds for which an allowance holds.
  package static let validity: Int64 = 60_000_000
  /// Number of allowances after which all are dropped and counted again.
  package static let capacity = 10_000

  private var allowances: [Key: Allowance] = [:]

  package init() {}

  /// Takes `count` records from an allowance that still holds; false when there is none or too little of it.
  ///
  /// - Parameter now: microseconds since 1970.
  package mutating func take(_ count: Int64, _ key: Key, at now: Int64) -> Bool {
    guard let found = allowances[key], now < found.until, found.left >= count else { return false }
    allowances[key]?.left -= count
    return true
  }

  /// Gives out `count` records from now on.
  package mutating func give(_ count: Int64, _ key: Key, at now: Int64) {
    if allowances.count >= Self.capacity { allowances.removeAll() }
    allowances[key] = Allowance(left: count, until: now + Self.validity)
  }
}
