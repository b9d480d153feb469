internal import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// Finds the company and the member that a command names, and opens acting contexts.
package struct ActingContexts: Sendable {
  let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Returns the company with a slug.
  ///
  /// - Throws: `not_found` with the closest slug as a hint.
  package func company(_ slug: String) async throws -> CompanyRow {
    let found = try await services.database.transaction { tx in try CompanyStore.find(slug: slug, tx) }
    if let found { return found }
    throw try await unknown(company: slug)
  }

  /// Returns the member with a handle: an email address, or its part before the `@`.
  ///
  /// - Throws: `not_found` if no member matches, `invalid_input` if several addresses have this part before
  ///   the `@`.
  package func member(_ handle: String, of company: CompanyRow) async throws -> MemberRow {
    let handle = Self.local(handle, in: company.slug)
    let found = try await services.database.transaction(.inside(company.id)) { tx in
      try MemberStore.find(company: company.id, handle: handle, tx)
    }
    return try await member(handle, among: found, of: company)
  }

  /// Returns the member among those who match a handle. A full address takes precedence.
  ///
  /// - Throws: as ``member(_:of:)``.
  func member(_ handle: String, among found: [MemberRow], of company: CompanyRow) async throws -> MemberRow {
    guard let member = found.first else {
      let members = try await services.database.transaction(.inside(company.id)) { tx in
        try MemberStore.all(company: company.id, includingRemoved: false, tx)
      }
      throw DomainError(
        .notFound,
        "\(company.slug) has no member \(Quoted(handle))",
        hint: Self.hint(
          for: handle,
          among: members.map(handle.contains("@") ? \.email : \.handle),
          list: "fettle member list --company \(company.slug)"
        )
      )
    }
    guard found.count == 1 || EmailAddress.key(ofHandle: member.email) == EmailAddress.key(ofHandle: handle)
    else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(handle)) fits \(found.count) members",
        hint: "use one of: \(found.map(\.email).joined(separator: ", "))"
      )
    }
    return member
  }

  /// Returns the error for an unknown slug.
  func unknown(company slug: String) async throws -> DomainError {
    let slugs = try await services.database.transaction { tx in try CompanyStore.all(tx).map(\.slug) }
    return DomainError(
      .notFound,
      "there is no company \(Quoted(slug))",
      hint: Self.hint(for: slug, among: slugs, list: "fettle company list")
    )
  }

  /// Returns the handle without the company as a suffix: `ana@acme` becomes `ana`.
  static func local(_ handle: String, in slug: String) -> String {
    handle.hasSuffix("@\(slug)") ? String(handle.dropLast(slug.count + 1)) : handle
  }

  /// Returns the hint for an unknown name: the closest name, or the command that lists the names.
  static func hint(for name: String, among candidates: [String], list command: String) -> String {
    if let closest = Suggestion.closest(to: name, among: candidates) { return "did you mean \(closest)?" }
    return candidates.isEmpty ? "create one first" : "list the names with `\(command)`"
  }
}

extension MemberRow {
  /// The part of the email address before the `@`.
  package var handle: String { String(email.prefix { $0 != "@" }) }
}
