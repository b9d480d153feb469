package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// A company that a person creates for themselves.
package struct NewCompany: Sendable {
  package let name: String
  /// The short name; nil to derive one from the name.
  package let slug: String?
  package let kind: CompanyKind
  package let timeZone: String
  /// The apps to use; nil for all installed ones, including later ones.
  package let apps: [String]?

  /// - Parameter kind: a business, a household or a personal company.
  package init(
    name: String,
    slug: String? = nil,
    kind: CompanyKind = .business,
    timeZone: String = "UTC",
    apps: [String]? = nil
  ) {
    self.name = name
    self.slug = slug
    self.kind = kind
    self.timeZone = timeZone
    self.apps = apps
  }

  /// Returns the checked company.
  ///
  /// - Throws: `invalid_name`, `invalid_slug`, `invalid_input` for another kind.
  func draft(id: UUID) throws -> CompanyDraft {
    guard [.business, .household, .personal].contains(kind) else {
      throw DomainError(.invalidInput, "a company of kind \(kind.rawValue) is created by an operator")
    }
    let display = try DisplayName(parsing: name)
    let given = try slug.map { try Slug(parsing: $0) }
    return CompanyDraft(id: id, name: display, slug: given, company: self)
  }
}

/// A company to create within a transaction.
struct CompanyDraft: Sendable {
  let id: UUID
  let name: DisplayName
  /// The requested short name; nil to derive one.
  let slug: Slug?
  let company: NewCompany
  /// The idempotency key of the request; nil for none.
  private(set) var requestKey = RequestKey.current

  /// Inserts the company with its owner, an existing user, and returns the audit entries. The transaction must be
  /// inside the new company.
  ///
  /// - Throws: `already_exists` for a requested short name in use, `invalid_time_zone`, `not_found` for an app.
  ///
  /// - Parameter creating: creates the owner, after the company: the refusal of a short name that is taken must not tell
  ///   whether an address has an account.
  func insert(owner: UUID, creating: () throws -> Void = {}, _ tx: Transaction) throws -> [AuditEntry] {
    try requestKey?.claim(tx)
    let zone = try TimeZoneCheck.require(company.timeZone, tx)
    for app in company.apps ?? [] { try CompanyApps.requireInstalled(app, tx) }
    let taken = try insertCompany(in: zone, tx)
    try creating()
    _ = try MemberStore.insert(
      company: id,
      user: owner,
      role: BuiltInRole.owner.rawValue,
      invitedBy: nil,
      tx
    )
    let detail: JSONObject = ["slug": .string(taken.text), "kind": .string(company.kind.rawValue)]
    return [
      AuditEntry(
        action: "company.created",
        subjectType: "company",
        subjectID: id.text,
        detail: JSON(detail)
      )
    ]
  }

  /// Creates the starting records of the company's apps, which its owner may change. An app can create them later
  /// too, so that an error does not undo the sign-up.
  func createStartingRecords(_ services: Services, _ row: CompanyRow, owner: UUID) async {
    let acting = ActingContext(company: row, actor: .system("sign-up"), user: owner)
    guard let records = try? await Records.open(services) else { return }
    _ = try? await services.rules.createStartingRecords(in: acting, services, records)
  }

  private func insertCompany(in zone: String, _ tx: Transaction) throws -> Slug {
    let wished = try slug ?? Slug(suggestedFor: name.text) ?? Slug(parsing: "company")
    var candidate = wished
    for _ in 0..<5 {
      let isNew = try CompanyStore.signUp(
        id: id,
        slug: candidate.text,
        name: name.text,
        kind: company.kind,
        timeZone: zone,
        apps: company.apps,
        tx
      )
      if isNew { return candidate }
      guard slug == nil else { break }
      let suffix = Hex.encode(SecureRandom.bytes(4))
      var stem = String(wished.text.prefix(30))
      while stem.hasSuffix("-") { stem.removeLast() }
      candidate = try Slug(parsing: "\(stem)-\(suffix)")
    }
    throw DomainError(
      .alreadyExists,
      "the company \(wished.text) exists already",
      hint: "choose another short name"
    )
  }
}
