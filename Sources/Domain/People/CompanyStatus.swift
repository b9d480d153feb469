/// The status of a company in its life cycle. It determines which uses are permitted.
package enum CompanyStatus: String, Sendable, Codable, CaseIterable {
  /// Every use is permitted.
  case active
  /// Members can sign in and read. Nothing can be changed, and no jobs run.
  case suspended
  /// Nobody can sign in, read or write, and no jobs run. The data is kept.
  case archived
  /// The data is permanently removed. No use is permitted.
  case erased

  /// A use of a company, which its status permits or not.
  package enum Use: Sendable, CaseIterable {
    /// Reading records, members, settings.
    case read
    /// Changing records, members or settings.
    case write
    /// Signing in, or continuing a session.
    case signIn
    /// Running its jobs and timers.
    case runJobs
    /// Writing the engine's own rows: sessions, audit, the outcome of a job, the status itself.
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

  /// Requires that the status permits a use.
  ///
  /// - Throws: `company_suspended` or `company_archived`, so that the company is not mistaken for a missing
  ///   one; `not_found` for an erased company.
  package func require(_ use: Use) throws(DomainError) {
    if permits(use) { return }
    switch self {
    case .suspended: throw DomainError(.companySuspended)
    case .archived: throw DomainError(.companyArchived)
    case .active, .erased: throw DomainError(.notFound, "company not found")
    }
  }

  /// The statuses to which an operator may change this one. Erasing is final, and requires an archived
  /// company.
  package var next: [CompanyStatus] {
    switch self {
    case .active: [.suspended, .archived]
    case .suspended: [.active, .archived]
    case .archived: [.active, .erased]
    case .erased: []
    }
  }

  /// Returns the new status if the change is allowed.
  ///
  /// - Throws: `wrong_state` with the allowed statuses.
  package func moved(to status: CompanyStatus) throws(DomainError) -> CompanyStatus {
    guard next.contains(status) else {
      let allowed = next.map(\.rawValue)
      throw DomainError(
        .wrongState,
        "the company is \(rawValue) and cannot become \(status.rawValue)",
        hint: allowed.isEmpty
          ? "an erased company cannot be restored" : "use one of: \(allowed.joined(separator: ", "))",
        details: ["status": .string(rawValue), "allowed": .strings(allowed)]
      )
    }
    return status
  }
}
