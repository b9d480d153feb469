internal import Domain
package import Postgres

/// The use of rate limits by all server processes, in an unlogged table.
package struct RateStore: Sendable {
  private let database: Database

  /// A request for permits of one limit.
  package struct Request: Sendable, Hashable {
    /// The keyed hash of the rule and its subject, 32 bytes.
    package let key: [UInt8]
    package let rule: RateRule
    /// The maximum number of permits to take.
    package let wanted: Int

    package init(key: [UInt8], rule: RateRule, wanted: Int) {
      self.key = key
      self.rule = rule
      self.wanted = wanted
    }
  }

  /// The result of a request, by the clock of the database.
  package struct Grant: Sendable, Hashable {
    /// The number of permits granted.
    package let granted: Int
    /// The time until the next permit comes back; zero if some are left.
    package let retryAfter: Duration
    /// The number of permits left.
    package let remaining: Int
    /// The time until all permits have come back.
    package let resetAfter: Duration

    package init(granted: Int, retryAfter: Duration, remaining: Int, resetAfter: Duration) {
      self.granted = granted
      self.retryAfter = retryAfter
      self.remaining = remaining
      self.resetAfter = resetAfter
    }
  }

  /// - Parameter database: connected as `fettle_app`.
  package init(_ database: Database) {
    self.database = database
  }

  /// Takes permits of distinct limits in one statement.
  ///
  /// - Returns: the results, in the order of the requests.
  /// - Throws: `PostgresError`, `CancellationError`. Permits of a call that failed may have been taken.
  package func take(_ requests: [Request]) async throws -> [Grant] {
    let rows = try await database.rows(
      """
      select t.key, t.granted, t.retry_after, t.remaining, t.reset_after
      from core.take_rates(
        \(requests.map(\.key)), \(requests.map { Int32(clamping: $0.wanted) }), \(requests.map { Int32(clamping: $0.rule.count) }),
        \(requests.map { $0.rule.period / .seconds(1) })) t
      """,
      [UInt8].self,
      Int32.self,
      Double.self,
      Int32.self,
      Double.self
    )
    let grants = Dictionary(
      rows.map { key, granted, retry, remaining, reset in
        (
          key,
          Grant(
            granted: Int(granted),
            retryAfter: .seconds(retry),
            remaining: Int(remaining),
            resetAfter: .seconds(reset)
          )
        )
      },
      uniquingKeysWith: { first, _ in first }
    )
    return try requests.map { request in
      guard let grant = grants[request.key] else {
        throw DomainError(.internal, "the database returned no result for the limit \(request.rule.name)")
      }
      return grant
    }
  }
}
