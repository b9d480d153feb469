package import FoundationEssentials

/// What of the queue rests and what is limited, as a worker or an operator sees it.
///
/// A value without a clock or a database, so that its rules can be tested for themselves; ``read(_:)`` fills it.
package struct JobRules: Sendable, Hashable {
  /// Jobs that nobody claims for now; nil stands for every company, any queue, any kind.
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

  /// How many jobs run at once, and how many begin in a while.
  package struct Limit: Sendable, Hashable {
    /// At most `count` at once, and then evenly over the period.
    package struct Rate: Sendable, Hashable {
      package let count: Int
      package let period: Duration

      package init(count: Int, period: Duration) {
        self.count = count
        self.period = period
      }
    }

    package let id: UUID
    /// Whose jobs; nil: every company's.
    package let company: UUID?
    package let queue: String?
    package let kind: String?
    /// Of a limit for every company: whether each has the figures for itself.
    package let isForEach: Bool
    /// How many run at once; nil: any number.
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

  /// What is counted together: a limit, and whose share of it.
  package struct TokenKey: Sendable, Hashable {
    package let limit: UUID
    /// A company of whose jobs the tokens are leased; the system company where all are counted together.
    package let company: UUID
  }

  /// The company that stands for every company.
  package static let everyCompany = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))

  package let pauses: [Pause]
  package let limits: [Limit]
  /// By company, so that thousands of companies with rules of their own cost a lane nothing; nil: of every company.
  private let pausesByCompany: [UUID?: [Pause]]
  private let limitsByCompany: [UUID?: [Limit]]

  package init(pauses: [Pause] = [], limits: [Limit] = []) {
    self.pauses = pauses
    self.limits = limits
    pausesByCompany = Dictionary(grouping: pauses, by: \.company)
    limitsByCompany = Dictionary(grouping: limits, by: \.company)
  }

  /// Whether jobs of a company, queue and kind rest.
  package func isPaused(company: UUID, queue: String, kind: String) -> Bool {
    [company, nil].contains { key in
      pausesByCompany[key]?.contains { Self.fits($0.queue, queue) && Self.fits($0.kind, kind) } ?? false
    }
  }

  /// The limits that hold for jobs of a company, queue and kind, each with what is counted together under it.
  ///
  /// A job runs when each of them has a token for it.
  package func limits(company: UUID, queue: String, kind: String) -> [(limit: Limit, key: TokenKey)] {
    [company, nil].flatMap { key in
      (limitsByCompany[key] ?? [])
        .filter { Self.fits($0.queue, queue) && Self.fits($0.kind, kind) }
        .map { ($0, TokenKey(limit: $0.id, company: Self.share(of: $0, company))) }
    }
  }

  private static func fits(_ wanted: String?, _ actual: String) -> Bool {
    wanted == nil || wanted == actual
  }

  private static func share(of limit: Limit, _ company: UUID) -> UUID {
    limit.company != nil || limit.isForEach ? company : everyCompany
  }
}
