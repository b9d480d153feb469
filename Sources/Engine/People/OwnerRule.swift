internal import Domain
internal import Postgres
internal import Store

/// Enforces rule R3: a company keeps an active owner.
enum OwnerRule {
  /// Refuses changes that would leave the company without an active owner; or, if it has none, without an
  /// active admin.
  ///
  /// Runs under the company's lock and before writing, so that concurrent changes see each other.
  ///
  /// - Parameters:
  ///   - changes: the members after the change.
  ///   - name: the member named in the refusal.
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
          ? "hand it over with `fettle company transfer \(company.slug) --to MEMBER`"
          : "make another member admin first: `fettle member role MEMBER admin --company \(company.slug)`"
      )
    }
  }
}
