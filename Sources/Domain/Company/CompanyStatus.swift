/// Where a company is in its life, and what that still allows.
package enum CompanyStatus: String, Sendable, Codable, CaseIterable {
  /// Everything works.
  case active
  /// Reads only: records, settings and people cannot be changed.
  case suspended
  /// No log-ins, no jobs; nothing is read or written.
  case archived
  /// Its data are gone for good.
  case erased

  /// What somebody wants of a company.
  package enum Use: Sendable, CaseIterable {
    /// To see records, members, settings.
    case read
    /// To change any of them.
    case write
    /// To sign in, or to go on with a session.
    case signIn
    /// To run its jobs and timers.
    case runJobs
    /// To write what must be written even so: sessions, audit, the outcome of a job, the status itself.
    case keepBooks
  }

  /// Whether the status allows it.
  package func permits(_ use: Use) -> Bool {
    switch (self, use) {
    case (.active, _): true
    case (.suspended, .read), (.suspended, .signIn), (.suspended, .keepBooks): true
    case (.archived, .keepBooks): true
    default: false
    }
  }

  /// Refuses with the status's own code, so that nobody takes a suspended company for a missing one.
  package func require(_ use: Use) throws(DomainError) {
    if permits(use) { return }
    switch self {
    case .suspended: throw DomainError(.companySuspended)
    case .archived: throw DomainError(.companyArchived)
    case .active, .erased: throw DomainError(.notFound, "There is no such company")
    }
  }

  /// The statuses an operator may move it to; erasing is final and needs it archived first.
  package var next: [CompanyStatus] {
    switch self {
    case .active: [.suspended, .archived]
    case .suspended: [.active, .archived]
    case .archived: [.active, .erased]
    case .erased: []
    }
  }

  /// Checks a move, naming what would have been allowed.
  package func moved(to status: CompanyStatus) throws(DomainError) -> CompanyStatus {
    guard next.contains(status) else {
      let allowed = next.map(\.rawValue)
      throw DomainError(
        .wrongState,
        "A company that is \(rawValue) cannot become \(status.rawValue)",
        hint: allowed.isEmpty ? "Nothing can follow." : "It can become \(allowed.joined(separator: " or ")).",
        details: ["status": .string(rawValue), "allowed": .strings(allowed)]
      )
    }
    return status
  }
}
