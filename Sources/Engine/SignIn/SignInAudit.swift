internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Records refused sign-ins: of an account in its company, of unknown accounts in the system company.
///
/// There is at most one entry per hour, method and reason for an account and an address, so that a flood cannot fill the
/// audit. The entry contains nothing that the person typed: people type passwords into the field of the address.
struct SignInAudit: Sendable {
  /// The account that somebody tried to sign in to.
  enum Account {
    /// The account with a normalized e-mail address, if there is one.
    case address(String)
    /// A user; nil if nothing tells which account was meant.
    case user(UUID?)
  }

  /// The reason of a refusal by an identity provider, or of one that it identified somebody.
  struct Reason {
    /// The name of the provider.
    let provider: String
    /// A word from the program, such as the fault of a token, or the error code of a token endpoint.
    let word: String

    init(_ error: DomainError, provider: String) {
      self.provider = provider
      word = error.details["fault"]?.string ?? error.code.rawValue
    }
  }

  static let systemCompany = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))

  let services: Services

  /// True for an error that refuses a proof, and false for one of its circumstances, such as an outage.
  static func isRefusal(_ error: DomainError) -> Bool {
    [.signInRefused, .signInFirst, .sessionExpired, .rateLimited].contains(error.code)
  }

  /// Writes the entry. The statements are the same for known and unknown accounts, so that latency does not reveal
  /// whether an account exists.
  ///
  /// - Parameter reason: the provider and the reason, for a sign-in with an identity provider.
  func refused(
    _ account: Account,
    client: SignInClient,
    method: SignInProof,
    reason: Reason? = nil
  ) async {
    // If the entry cannot be written, the person still gets the refusal, which matters more.
    _ = try? await services.database.transaction { tx in
      let user =
        switch account {
        case .address(let key):
          try tx.value("select u.id from core.user_by_email(\(key)) u", as: UUID?.self)
        case .user(let id): id
        }
      let acting = user ?? client.requestID
      try tx.act(for: acting)
      let company = try tx.value(
        "select c.company_id from core.my_companies() c order by c.last_seen_at desc nulls last limit 1",
        as: UUID?.self
      )
      let place = company ?? Self.systemCompany
      let isKnown = user != nil && company != nil
      try PersonStore.enter(place, tx)
      let context = WorkContext(
        company: place,
        actor: .system("sign-in"),
        user: nil,
        requestID: client.requestID
      )
      var detail: JSONObject = ["method": .string(method.rawValue), "address": .string(client.address)]
      var part = "\(isKnown ? acting.text : "")\n\(client.address)\n\(method.rawValue)"
      if let reason {
        detail["provider"] = .string(reason.provider)
        detail["reason"] = .string(reason.word)
        part += "\n\(reason.provider)\n\(reason.word)"
      }
      let entry = AuditEntry(
        action: "session.refused",
        subjectType: isKnown ? "member" : "",
        subjectID: isKnown ? acting.text : "",
        detail: JSON(detail)
      )
      let id = try tx.value(
        """
        select encode(substring(sha256(convert_to(
          \(part) || chr(10) || date_trunc('hour', now(), 'UTC')::text, 'UTF8')) for 16), 'hex')::uuid
        """,
        as: UUID.self
      )
      try tx.execute("\(AuditWriter.insert(entry, id: id, context: context)) on conflict do nothing")
    }
  }
}
