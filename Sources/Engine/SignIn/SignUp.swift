package import Domain
package import FoundationEssentials
package import Postgres
package import Secrets
internal import Store

/// Creates accounts: with a company of their own, or as members of a company that invited them.
///
/// The account, the membership and the session are created in one transaction, so that no half-made account is
/// left. An address that has an account already proves nothing: its owner signs in first.
package struct SignUp: Sendable {
  /// The person of a new account.
  package struct Account: Sendable {
    package let email: String
    package let name: String
    /// The password; nil for a person who signs in with an identity provider.
    package let password: String?
    /// True if an identity provider vouches for the address.
    package let isVerified: Bool
    /// The language of the person's pages and mails, and of a company that they found; nil for the company's.
    package let language: Language?

    package init(
      email: String,
      name: String,
      password: String?,
      isVerified: Bool = false,
      language: Language? = nil
    ) {
      self.email = email
      self.name = name
      self.password = password
      self.isVerified = isVerified
      self.language = language
    }
  }

  /// The company in which a new account begins.
  package enum Place: Sendable {
    /// A new company, which the person owns.
    case company(NewCompany)
    /// The company of an invite code.
    case invite(code: String)
    /// The company of the visitor that the person was until now.
    case visitor(token: String)
  }

  let services: Services
  private let passwords: PasswordSignIn

  /// - Parameter hasher: the process-wide pool of the expensive hashes.
  package init(_ services: Services, hasher: PasswordHasher) {
    self.services = services
    passwords = PasswordSignIn(services, hasher: hasher)
  }

  /// Creates an account and signs the person in.
  ///
  /// - Parameter alongside: further writes of the same transaction, such as the link to an identity. Called with the
  ///   new user inside the company.
  /// - Throws: `sign_in_first` if the address has an account; `invite_refused`, `invalid_invite_code`;
  ///   `already_exists` for a company's short name in use; `wrong_state` for a visitor who has been claimed;
  ///   `invalid_email`, `invalid_name`, `invalid_password`, `unavailable`.
  package func signUp(
    _ account: Account,
    in place: Place,
    client: SignInClient,
    alongside: @escaping @Sendable (Transaction, UUID) throws -> Void = { _, _ in }
  ) async throws -> OpenedSession {
    let person = try Person(email: account.email, name: account.name, newID: services.ids.next())
    var context = [account.email, account.name]
    if case .company(let company) = place { context += [company.name, company.slug ?? ""] }
    if let password = account.password { try passwords.check(password, context: context) }
    let located = try await located(place, person, client)
    var hash: String?
    if let password = account.password {
      if let located { context += try await names(of: located.company) }
      try passwords.check(password, context: context)
      hash = try await passwords.hashed(password)
    }
    let newcomer = Newcomer(
      person: person,
      hash: hash,
      isVerified: account.isVerified,
      language: account.language,
      alongside: alongside
    )
    switch place {
    case .company(let company): return try await found(company, newcomer, client)
    case .invite:
      guard let located else { throw DomainError(.internal) }
      return try await join(located, newcomer, client)
    case .visitor(let token): return try await take(over: token, newcomer, client)
    }
  }

  /// A person whose account is being created.
  struct Newcomer: Sendable {
    let person: Person
    let hash: String?
    let isVerified: Bool
    let language: Language?
    let alongside: @Sendable (Transaction, UUID) throws -> Void

    /// Inserts the account.
    ///
    /// - Throws: `sign_in_first` if the address has one.
    func insert(_ tx: Transaction) throws {
      let isNew = try MemberStore.insertUser(
        id: person.newID,
        email: person.email.text,
        name: person.name.text,
        kind: "person",
        passwordHash: hash,
        tx
      )
      guard isNew else {
        throw DomainError(
          .signInFirst,
          hint: "sign in to it, then join or create the company with POST /v1/me/companies"
        )
      }
      if let language {
        try tx.execute(
          "insert into core.mail_profile (user_id, language) values (\(person.newID), \(language.rawValue))"
        )
      }
      if isVerified { try tx.execute("select core.verify_email(\(person.newID), \(person.email.key))") }
    }
  }

  /// Returns the invitation of a code; nil for other places. Checked before the password is hashed, which is
  /// expensive.
  private func located(
    _ place: Place,
    _ person: Person,
    _ client: SignInClient
  ) async throws -> Invites.Located? {
    guard case .invite(let code) = place else { return nil }
    let invites = Invites(services)
    try await invites.refuseIfThrottled(source: client.network, account: person.email.key)
    guard let located = try await invites.locate(InviteCode(parsing: code)) else {
      try await invites.countFailure(source: client.network, account: person.email.key)
      throw DomainError(.inviteRefused)
    }
    return located
  }

  private func names(of company: UUID) async throws -> [String] {
    let row = try await services.database.transaction(.inside(company, readOnly: true)) { tx in
      try CompanyStore.find(id: company, tx)
    }
    return row.map { [$0.name, $0.slug] } ?? []
  }

  private func found(
    _ company: NewCompany,
    _ newcomer: Newcomer,
    _ client: SignInClient
  ) async throws -> OpenedSession {
    let draft = try company.draft(id: services.ids.next())
    let opening = try opening(draft.id, newcomer.person.newID, client)
    let ids = services.ids
    let user = newcomer.person.newID
    let opened = try await services.database.transaction(.inside(draft.id, user: user)) { tx in
      let entries = try draft.insert(owner: user, creating: { try newcomer.insert(tx) }, tx)
      if let language = newcomer.language {
        try tx.execute("update core.company set language = \(language.rawValue) where id = \(draft.id)")
      }
      try newcomer.alongside(tx, user)
      let opened = try opening.open(tx)
      let all = entries + [opening.entry("sign_up")]
      try AuditWriter.commit(all.map { (ids.next(), $0) }, context: opening.context, tx)
      return opened
    }
    await draft.createStartingRecords(services, opened.company, owner: user)
    return opened
  }

  private func join(
    _ located: Invites.Located,
    _ newcomer: Newcomer,
    _ client: SignInClient
  ) async throws -> OpenedSession {
    let invites = Invites(services)
    let user = newcomer.person.newID
    let opening = try opening(located.company, user, client)
    let ids = services.ids
    do {
      return try await services.database.transaction(.inside(located.company, user: user)) { tx in
        let (invite, company) = try invites.take(located, newcomer.person, requestID: client.requestID, tx)
        try newcomer.insert(tx)
        let entry = try invites.admit(user, newcomer.person, to: company, by: invite, tx)
        try newcomer.alongside(tx, user)
        let opened = try opening.open(tx)
        let all = [entry, opening.entry("sign_up")]
        try AuditWriter.commit(all.map { (ids.next(), $0) }, context: opening.context, tx)
        return opened
      }
    } catch let error as DomainError where error.code == .inviteRefused {
      try await invites.countFailure(source: client.network, account: newcomer.person.email.key)
      throw error
    }
  }

  private func take(
    over token: String,
    _ newcomer: Newcomer,
    _ client: SignInClient
  ) async throws -> OpenedSession {
    let user = newcomer.person.newID
    let company = try await Visitors(services).claim(token, for: user, client: client) { tx in
      try newcomer.insert(tx)
      try newcomer.alongside(tx, user)
    }
    guard let company else { throw DomainError(.wrongState, "the visitor is unknown, or was claimed before") }
    let opening = try opening(company, user, client)
    let auditID = services.ids.next()
    return try await services.database.transaction(.inside(company, user: user)) { tx in
      var opened = try opening.open(tx)
      opened.hasClaimed = true
      try AuditWriter.commit([(auditID, opening.entry("sign_up"))], context: opening.context, tx)
      return opened
    }
  }

  private func opening(_ company: UUID, _ user: UUID, _ client: SignInClient) throws -> SessionOpening {
    SessionOpening(
      id: services.ids.next(),
      company: company,
      user: user,
      kind: client.transport == .browser ? .browser : .mobile,
      client: client,
      strongAt: .distantFuture,
      key: try services.keys().current(.session)
    )
  }
}
