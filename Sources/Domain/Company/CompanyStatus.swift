/// The life cycle status of a company, which determines the permitted uses.
package enum CompanyStatus: String, Sendable, Codable, CaseIterable {
  /// Everything works.
  case active
  /// Read-only: records, settings and people cannot be changed.
  case suspended
  /// No sign-in and no jobs; nothing is read or written.
  case archived
  /// Its data is permanently removed.
  case erased

  /// A use of a company that its status permits or refuses.
  package enum Use: Sendable, CaseIterable {
    /// Reading records, members, settings.
    case read
    /// Changing any of them.
    case write
    /// Signing in, or continuing a session.
    case signIn
    /// Running its jobs and timers.
    case runJobs
    /// Writing rows that are always allowed: sessions, audit, a job's outcome, the status itself.
    case keepBooks
  }

  /// True if the status permits the use.
  package func permits(_ use: Use) -> Bool {
    switch (self, use) {
    case (.active, _): true
    case (.suspended, .read), (.suspended, .signIn), (.suspended, .keepBooks): true
    case (.archived, .keepBooks): true
    default: false
    }
  }

  /// Refuses with a specific code, so that a suspended company is not mistaken for a missing one.
  package func require(_ use: Use) throws(DomainError) {
    if permits(use) { return }
    switch self {
    case .suspended: throw DomainError(.companySuspended)
    case .archived: throw DomainError(.companyArchived)
    case .active, .erased: throw DomainError(.notFound, "There is no such company")
    }
  }

  /// The statuses an operator may set; erasing is final and requires an archived company.
  package var next: [CompanyStatus] {
    switch self {
    case .active: [.suspended, .archived]
    case .suspended: [.active, .archived]
    case .archived: [.active, .erased]
    case .erased: []
    }
  }

  /// Checks a change of status; the refusal names the allowed ones.
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
