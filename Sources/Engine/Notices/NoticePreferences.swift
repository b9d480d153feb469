internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The use cases of a member's notice preferences. A topic is a notice template, or `*` for all templates
/// without a preference.
package struct NoticePreferences: Sendable {
  /// The delivery of the notices of a topic.
  package enum Delivery: String, Sendable, CaseIterable {
    case inbox
    /// The inbox, and a mail at once.
    case mail
    case off
  }

  let administration: CompanyAdministration

  package init(_ services: Services) {
    administration = CompanyAdministration(services)
  }

  /// Returns the member's preferences by topic.
  ///
  /// - Throws: `invalid_input` for an operator in their own name, `forbidden` unless the member is active and for
  ///   a token without `inbox.read`, or the error of the company's status.
  package func list(_ acting: ActingContext) async throws -> [String: Delivery] {
    let (company, user) = (acting.company.id, try Self.member(acting))
    let rows = try await administration.readOwn(acting, permission: "inbox.read") { tx, _ in
      try tx.rows(
        """
        select p.topic, p.delivery from core.notification_preference p
        where p.company_id = \(company) and p.user_id = \(user)
        """,
        String.self,
        String.self
      )
    }
    return Dictionary(rows.map { ($0.0, Delivery(rawValue: $0.1) ?? .inbox) }) { first, _ in first }
  }

  /// Sets the delivery of notices for some topics.
  ///
  /// - Parameter topics: the existing topics.
  /// - Throws: `not_found` with the closest topic as a hint, `invalid_input` for a short name that several
  ///   apps use, `forbidden` for a guest and for a token without `inbox.update`, or the error of the company's
  ///   status.
  package func set(
    _ acting: ActingContext,
    _ wishes: [(topic: String, delivery: Delivery)],
    among topics: [String]
  )
    async throws
  {
    try await change(acting, Change(notices: wishes), among: topics)
  }

  /// Returns the full topic of a name. The name may omit the app if only one app has such a template.
  static func topic(_ name: String, among topics: [String]) throws(DomainError) -> String {
    if name == "*" || topics.contains(name) { return name }
    let meant = topics.filter { $0.hasSuffix(".\(name)") }
    if meant.count == 1 { return meant[0] }
    guard meant.isEmpty else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(name)) is a kind of notice in several apps",
        hint: "use \(meant.joined(separator: " or "))"
      )
    }
    let closest = Suggestion.closest(to: name, among: topics)
    throw DomainError(
      .notFound,
      "there is no kind of notice \(Quoted(name))",
      hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(topics.joined(separator: ", "))"
    )
  }

  static func member(_ acting: ActingContext) throws -> UUID {
    guard let user = acting.user else {
      throw DomainError(.invalidInput, "an operator has no inbox", hint: "name the member with --as")
    }
    return user
  }
}
