internal import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// Finds the company and the member a command names.
package struct ActingContexts: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// An operator's acting context in a company, in their own name or on behalf of a member.
  ///
  /// The operator's name is what the operating system calls the person at the keyboard; the handle a member's
  /// e-mail address, or what stands before its `@`. Refused with `not_found` and the closest name.
  package func take(company slug: String, operatorName: String, as handle: String?) async throws
    -> ActingContext
  {
    let company = try await company(slug)
    guard let handle else {
      return ActingContext(company: company, actor: .operator(operatorName), user: nil)
    }
    let member = try await member(handle, of: company)
    return ActingContext(
      company: company,
      actor: .operator(operatorName, as: member.userID),
      user: member.userID
    )
  }

  /// The company of a slug.
  package func company(_ slug: String) async throws -> CompanyRow {
    try await services.database.transaction { tx in
      if let company = try CompanyStore.find(slug: slug, tx) { return company }
      throw DomainError(
        .notFound,
        "there is no company \(Quoted(slug))",
        hint: Self.hint(for: slug, among: try CompanyStore.all(tx).map(\.slug), list: "fettle company list")
      )
    }
  }

  /// The member whom a handle means.
  ///
  /// - Throws: `not_found` when there is none, `invalid_input` when the part before the `@` fits several.
  package func member(_ handle: String, of company: CompanyRow) async throws -> MemberRow {
    let handle =
      handle.hasSuffix("@\(company.slug)") ? String(handle.dropLast(company.slug.count + 1)) : handle
    return try await services.database.transaction(.inside(company.id)) { tx in
      let found = try MemberStore.find(company: company.id, handle: handle, tx)
      guard let member = found.first else {
        let members = try MemberStore.all(company: company.id, includingRemoved: false, tx)
        let all = members.map(handle.contains("@") ? \.email : \.handle)
        throw DomainError(
          .notFound,
          "\(company.slug) has no member \(Quoted(handle))",
          hint: Self.hint(for: handle, among: all, list: "fettle member list --company \(company.slug)")
        )
      }
      guard found.count == 1 || member.email.lowercased() == handle.lowercased() else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(handle)) fits \(found.count) members",
          hint: "write the whole address: \(found.map(\.email).joined(separator: ", "))"
        )
      }
      return member
    }
  }

  /// What to say after a name that is not there.
  static func hint(for name: String, among candidates: [String], list command: String) -> String {
    if let closest = Suggestion.closest(to: name, among: candidates) { return "did you mean \(closest)?" }
    return candidates.isEmpty ? "there is none yet" : "`\(command)` shows what there is"
  }
}

extension MemberRow {
  /// What stands before the `@` of the address: short enough to type.
  package var handle: String { String(email.prefix { $0 != "@" }) }
}
