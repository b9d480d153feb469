package import FoundationEssentials

/// The pauses and limits of the queue, as a worker or an operator sees them.
///
/// A value without a clock or a database, so that its rules can be tested in isolation; ``read(_:)`` fills
/// it.
package struct JobRules: Sendable, Hashable {
  /// A pause: workers do not claim these jobs. Nil means any company, queue or kind.
  package struct Pause: Sendable, Hashable {
    package let company: UUID?
    package let queue: String?
    package let kind: String?

    package init(company: UUID? = nil, queue: String? = nil, kind: String? = nil) {
      self.company = company
      self.queue = queue
      self.kind = kind
    }
  }

  /// A limit on the number of running jobs, on the rate of starts, or on both.
  package struct Limit: Sendable, Hashable {
    /// The maximum rate of starts: up to `count` jobs at once, later ones evenly spread over the period.
    package struct Rate: Sendable, Hashable {
      package let count: Int
      package let period: Duration

      package init(count: Int, period: Duration) {
        self.count = count
        self.period = period
      }
    }

    package let id: UUID
    /// The company whose jobs are limited; nil for all companies.
    package let company: UUID?
    package let queue: String?
    package let kind: String?
    /// True if a limit for all companies applies to each company separately.
    package let isForEach: Bool
    /// The maximum number of running jobs; nil for any number.
    package let maxRunning: Int?
    package let rate: Rate?

    package init(
      id: UUID,
      company: UUID? = nil,
      queue: String? = nil,
      kind: String? = nil,
      isForEach: Bool = false,
      maxRunning: Int? = nil,
      rate: Rate? = nil
    ) {
      self.id = id
      self.company = company
      self.queue = queue
      self.kind = kind
      self.isForEach = isForEach
      self.maxRunning = maxRunning
      self.rate = rate
    }
  }

  /// Identifies jobs that are counted together: a limit, and a company's share of it.
  package struct TokenKey: Sendable, Hashable {
    package let limit: UUID
    /// The company whose jobs use the tokens; the system company if all are counted together.
    package let company: UUID
    /// The kind of a limit that a handler declares; nil for a limit that an operator set.
    package var kind: String?
  }

  /// The id that stands for all companies, which is the id of the system company.
  package static let everyCompany = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))

  package let pauses: [Pause]
  package let limits: [Limit]
  /// The rules by company, nil for all companies, so that the rules of other companies cost a lane nothing.
  private let pausesByCompany: [UUID?: [Pause]]
  private let limitsByCompany: [UUID?: [Limit]]

  package init(pauses: [Pause] = [], limits: [Limit] = []) {
    self.pauses = pauses
    self.limits = limits
    pausesByCompany = Dictionary(grouping: pauses, by: \.company)
    limitsByCompany = Dictionary(grouping: limits, by: \.company)
  }

  /// True if jobs of a company, queue and kind are paused.
  package func isPaused(company: UUID, queue: String, kind: String) -> Bool {
    [company, nil].contains { key in
      pausesByCompany[key]?.contains { Self.fits($0.queue, queue) && Self.fits($0.kind, kind) } ?? false
    }
  }

  /// Returns the limits that apply to jobs of a company, queue and kind, each with its key.
  ///
  /// A job may run if each of these limits has a token for it.
  package func limits(company: UUID, queue: String, kind: String) -> [(limit: Limit, key: TokenKey)] {
    [company, nil].flatMap { key in
      (limitsByCompany[key] ?? [])
        .filter { Self.fits($0.queue, queue) && Self.fits($0.kind, kind) }
        .map { ($0, TokenKey(limit: $0.id, company: Self.share(of: $0, company))) }
    }
  }

  /// True if an operator has limited the running jobs of exactly this kind, for the company or for each one.
  package func hasOwnLimit(company: UUID, kind: String) -> Bool {
    [company, nil].contains { key in
      limitsByCompany[key]?.contains {
        $0.kind == kind && $0.maxRunning != nil && ($0.company != nil || $0.isForEach)
      } ?? false
    }
  }

  private static func fits(_ wanted: String?, _ actual: String) -> Bool {
    wanted == nil || wanted == actual
  }

  private static func share(of limit: Limit, _ company: UUID) -> UUID {
    limit.company != nil || limit.isForEach ? company : everyCompany
  }
}
