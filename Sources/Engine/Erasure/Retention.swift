internal import Domain
package import FoundationEssentials
package import Postgres
internal import Store

/// For how long a company keeps what. Operators change it; a job applies it every night.
package struct Retention: Sendable {
  /// The kind of the job.
  package static let kind = "retention.apply"
  /// The subjects that are no record types.
  package static let subjects = ["sign_ins", "audit", "notices", "deliveries"]
  /// The subject that stands for all, which can only be held.
  package static let everything = "*"

  /// The retention of a subject.
  package struct Rule: RowDecodable, Sendable {
    package let subject: String
    /// Days after which it is removed; nil to keep it.
    package let days: Int?
    /// The reason of a legal hold; nil for none.
    package let hold: String?
    /// The number of rows that the next run removes.
    package internal(set) var due: Int64 = 0

    package init(row: inout RowReader) throws(PostgresError) {
      subject = try row.next()
      days = try row.next()
      hold = try row.next()
    }
  }

  /// A change of a rule.
  package enum Change: Sendable {
    /// Removes after a number of days.
    case days(Int)
    /// Keeps it.
    case keep
    /// Holds it for a reason.
    case hold(String)
    /// Ends the hold.
    case release
  }

  private let services: Services

  package init(_ services: Services) { self.services = services }

  /// Returns the rules of a company, with what the next run removes. Requires `company.read`.
  package func show(_ acting: ActingContext) async throws -> [Rule] {
    try await CompanyAdministration(services).read(acting, permission: "company.read") { tx, rights in
      let rules = try tx.rows(
        "select r.subject, r.days, r.held_for from core.retention r where r.company_id = \(acting.company.id) order by 1",
        as: Rule.self
      )
      // The login of the server may not call the function.
      guard rights.isUnrestricted else { return rules }
      let due = Dictionary(
        try tx.rows(
          "select r.subject, r.removed from core.apply_retention(true, 1) r",
          String.self,
          Int64.self
        )
      ) { first, _ in first }
      return rules.map { rule in
        var rule = rule
        rule.due = due[rule.subject] ?? 0
        return rule
      }
    }
  }

  /// Changes the rule of a subject.
  ///
  /// - Throws: `forbidden` for a member, `not_found` for an unknown subject, `invalid_input` for days of everything.
  package func set(_ acting: ActingContext, _ subject: String, _ change: Change) async throws {
    try await CompanyAdministration(services).administer(acting, permission: nil, for: .keepBooks) {
      tx,
      rights in
      guard rights.isUnrestricted else {
        throw DomainError(.forbidden, "only an operator can change the retention", hint: "leave out --as")
      }
      try Self.requireKnown(subject, tx)
      var (days, hold): (Int32?, String?) = (nil, nil)
      let before = try tx.first(
        "select r.subject, r.days, r.held_for from core.retention r where r.company_id = \(acting.company.id) and r.subject = \(subject)",
        as: Rule.self
      )
      (days, hold) = (before?.days.map { Int32(clamping: $0) }, before?.hold)
      switch change {
      case .days(let count): days = Int32(clamping: count)
      case .keep: days = nil
      case .hold(let reason): hold = reason
      case .release: hold = nil
      }
      guard subject != Self.everything || days == nil else {
        throw DomainError(
          .invalidInput,
          "everything can only be held",
          hint: "name a subject or a record type"
        )
      }
      try tx.execute(
        """
        insert into core.retention as r (company_id, subject, days, held_for, changed_by)
        values (\(acting.company.id), \(subject), \(nullable: days), \(nullable: hold), \(acting.actor.name ?? "operator"))
        on conflict (company_id, subject) do update
        set days = excluded.days, held_for = excluded.held_for, changed_by = excluded.changed_by, changed_at = now()
        """
      )
      let detail: JSONObject = [
        "days": .string(days.map { "\($0)" } ?? "keep"), "hold": .string(hold ?? ""),
      ]
      let entry = AuditEntry(
        action: "retention.changed",
        subjectType: "retention",
        subjectID: subject,
        detail: JSON(detail)
      )
      return ((), [entry])
    }
  }

  /// Removes what is due in a company, up to a number of rows of each subject and batch.
  ///
  /// - Parameter database: connected as `fettle_worker`.
  /// - Returns: the number of removed rows by subject.
  package static func apply(company: UUID, _ database: Database, batch: Int = 1_000) async throws -> [String:
    Int64]
  {
    var removed: [String: Int64] = [:]
    while true {
      let found = try await database.transaction(.inside(company, statementTimeout: .seconds(300))) { tx in
        try tx.rows(
          "select r.subject, r.removed from core.apply_retention(false, \(Int32(clamping: batch))) r where r.removed > 0",
          String.self,
          Int64.self
        )
      }
      if found.isEmpty { return removed }
      for (subject, count) in found { removed[subject, default: 0] += count }
    }
  }

  private static func requireKnown(_ subject: String, _ tx: Transaction) throws {
    let types = try tx.rows("select t.name from core.record_type t order by 1", String.self)
    let known = subjects + [everything] + types
    guard !known.contains(subject) else { return }
    let closest = Suggestion.closest(to: subject, among: known)
    throw DomainError(
      .notFound,
      "nothing is called \(Quoted(subject))",
      hint: closest.map { "did you mean \($0)?" }
        ?? "use one of: \(subjects.joined(separator: ", ")), or a record type"
    )
  }
}
