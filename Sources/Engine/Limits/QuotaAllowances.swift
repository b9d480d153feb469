package import FoundationEssentials

/// The numbers of records that a process may create without counting: shares of what quotas leave, valid for
/// one minute.
package struct QuotaAllowances: Sendable {
  /// The company, the quota with its maximum, and the member if the count depends on the member's private records.
  /// A changed quota is another key, so that records are counted again at once.
  package struct Key: Hashable, Sendable {
    let company: UUID
    let quota: String
    let maximum: Int64
    let user: UUID?

    package init(company: UUID, quota: String, maximum: Int64, user: UUID?) {
      self.company = company
      self.quota = quota
      self.maximum = maximum
      self.user = user
    }
  }

  private struct Allowance {
    var left: Int64
    let until: Int64
  }

  /// The validity of an allowance in microseconds.
  package static let validity: Int64 = 60_000_000
  /// The maximum number of allowances. At this number all of them are dropped, and records are counted again.
  package static let capacity = 10_000

  private var allowances: [Key: Allowance] = [:]

  package init() {}

  /// Takes `count` records from an allowance.
  ///
  /// - Parameter now: microseconds since 1970.
  /// - Returns: false if there is no valid allowance or it is too small.
  package mutating func take(_ count: Int64, _ key: Key, at now: Int64) -> Bool {
    guard let found = allowances[key], now < found.until, found.left >= count else { return false }
    allowances[key]?.left -= count
    return true
  }

  /// Grants an allowance of `count` records, valid from `now`, in microseconds since 1970.
  package mutating func give(_ count: Int64, _ key: Key, at now: Int64) {
    if allowances.count >= Self.capacity { allowances.removeAll() }
    allowances[key] = Allowance(left: count, until: now + Self.validity)
  }
}
