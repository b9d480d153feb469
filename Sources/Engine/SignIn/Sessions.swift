internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// The use cases of a person's own sessions.
package struct Sessions: Sendable {
  let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the acting person's open sessions in all companies, the latest used first.
  ///
  /// - Throws: `session_expired`, or the errors of the member's and the company's status.
  package func list(_ acting: ActingContext) async throws -> [SessionRow] {
    try await administration.read(acting, permission: nil) { tx, _ in try SessionStore.mine(tx) }
  }

  /// Ends one of the acting person's sessions, in any company.
  ///
  /// - Throws: `not_found` if the person has no such open session.
  package func end(_ acting: ActingContext, session id: UUID) async throws {
    let ended = try await end(acting, id: id, except: nil, because: "revoked")
    guard ended > 0 else { throw DomainError(.notFound, "you have no open session \(id.text)") }
  }

  /// Ends the acting person's other sessions in all companies.
  ///
  /// - Returns: the number of sessions ended.
  package func endOthers(_ acting: ActingContext) async throws -> Int {
    guard case .session(let own, _) = acting.credential else {
      return try await end(acting, id: nil, except: nil, because: "revoked")
    }
    return try await end(acting, id: nil, except: own, because: "revoked")
  }

  /// Signs out: ends the acting session. Succeeds without one.
  package func signOut(_ acting: ActingContext) async throws {
    guard case .session(let own, _) = acting.credential else { return }
    _ = try await end(acting, id: own, except: nil, because: "signed_out")
  }

  private func end(
    _ acting: ActingContext,
    id: UUID?,
    except kept: UUID?,
    because reason: String
  ) async throws -> Int {
    guard let user = acting.user else { throw DomainError(.unauthenticated) }
    let context = acting.context(requestID: services.ids.next())
    let auditID = services.ids.next()
    return try await services.database.transaction(.inside(acting.company.id, user: user)) { tx in
      // Also in a suspended or archived company: signing out needs no active company.
      let rights = try Rights.read(acting, requestID: context.requestID, tx)
      guard rights.user == user else { throw DomainError(.forbidden) }
      let ended = try SessionStore.end(of: user, id: id, except: kept, because: reason, tx)
      guard ended > 0 else { return 0 }
      let entry = AuditEntry(
        action: "session.ended",
        subjectType: id == nil ? "member" : "session",
        subjectID: (id ?? user).text,
        detail: JSON(["reason": .string(reason), "sessions": .integer(ended)] as JSONObject)
      )
      try AuditWriter.commit([(auditID, entry)], context: context, tx)
      return ended
    }
  }
}
