package import FoundationEssentials

/// A violated invariant.
package struct VerifyFinding: Sendable, Hashable {
  /// The kind of fault; stable, so that scripts can rely on it.
  package enum Code: String, Sendable, CaseIterable {
    // History.
    case historyMissing = "history_missing"
    case historyAltered = "history_altered"
    case historySwapped = "history_swapped"
    case historyForeign = "history_foreign"
    case historyBlanked = "history_blanked"
    case historyBeyondHead = "history_beyond_head"
    case historyWithoutRecord = "history_without_record"
    case sealBroken = "seal_broken"

    // Records compared with their history.
    case statusNotFold = "status_not_fold"
    case statusGap = "status_gap"
    case versionNotWrites = "version_not_writes"
    case deletionNotFold = "deletion_not_fold"
    case danglingReference = "dangling_reference"
    case ownerNotActive = "owner_not_active"

    // Records compared with the rules of their types.
    case ruleRefuses = "rule_refuses"
    case valueMissing = "value_missing"

    // Feed.
    case feedMissing = "feed_missing"
    case feedVersion = "feed_version"
    case feedOperation = "feed_operation"
    case feedWithoutRecord = "feed_without_record"
    case feedOrder = "feed_order"

    // Work.
    case jobWithoutCause = "job_without_cause"
    case jobNotClaimable = "job_not_claimable"
    case timerMisplaced = "timer_misplaced"
    case keyWithoutAnswer = "key_without_answer"

    // Isolation.
    case notIsolated = "not_isolated"
    case notGuarded = "not_guarded"
    case notAppendOnly = "not_append_only"
    case keyOff = "foreign_key_off"
    case companyIncomplete = "company_incomplete"
  }

  package let code: Code
  /// The company's slug; nil for a fault of the whole database.
  package let company: String?
  /// The record type or the table; nil if neither applies.
  package let type: String?
  /// The record or job; nil if neither applies.
  package let record: UUID?
  /// The description of the fault.
  package let what: String

  package init(_ code: Code, company: String?, type: String? = nil, record: UUID? = nil, _ what: String) {
    self.code = code
    self.company = company
    self.type = type
    self.record = record
    self.what = what
  }
}

/// The result of a verification: counts and findings.
package struct VerifyReport: Sendable {
  /// The findings, in the order of discovery.
  package internal(set) var findings: [VerifyFinding] = []
  package internal(set) var companies = 0
  package internal(set) var records = 0
  package internal(set) var entries = 0
  /// The number of findings beyond ``limit``.
  package internal(set) var omitted = 0

  /// The maximum number of listed findings, enough to show the pattern.
  static let limit = 10_000

  mutating func add(_ finding: VerifyFinding) {
    if findings.count < Self.limit { findings.append(finding) } else { omitted += 1 }
  }
}
