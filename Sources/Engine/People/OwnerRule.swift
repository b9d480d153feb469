internal import Domain
internal import Postgres
internal import Store

/// Enforces rule R3: a company keeps an active owner.
enum OwnerRule {
  /// Refuses changes that would leave the company without an active owner. If the company has no active
  /// owner, refuses changes that would leave it without an active admin.
  ///
  /// Call it under the company's lock and before writing, so that concurrent changes see each other.
  ///
  /// - Parameters:
  ///   - changes: the members after the change.
  ///   - name: the member's name, for the message.
  /// - Throws: `last_owner` or `last_administrator`.
  static func require(
    after changes: [Member],
    named name: String,
    in company: CompanyRow,
    _ tx: Transaction
  ) throws {
    let before = try MemberStore.administrators(company: company.id, tx)
    let changed = Set(changes.map(\.user))
    do {
      try AccessRules.requireOwner(before, changedTo: before.filter { !changed.contains($0.user) } + changes)
    } catch {
      let isOwner = error.code == .lastOwner
      throw DomainError(
        error.code,
        "\(name) is the last active \(isOwner ? "owner" : "administrator") of \(company.slug)",
        hint: isOwner
          ? "transfer it with `fettle company transfer \(company.slug) --to MEMBER`"
          : "make another member admin first: `fettle member role MEMBER admin --company \(company.slug)`"
      )
    }
  }
}
