package import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
package import Store

/// Reads and changes the people, roles and settings of a company.
///
/// A change locks the company's row first, which serialises changes. Otherwise two concurrent demotions could
/// leave a company without an administrator.
package struct CompanyAdministration: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Runs a read-only body if the actor has the permission and the company's status permits reading.
  ///
  /// - Parameter permission: nil requires only the status.
  /// - Throws: `forbidden`, `not_found`, or the error of the company's status.
  package func read<Value: Sendable>(
    _ acting: ActingContext,
    permission: String?,
    _ body: @escaping @Sendable (Transaction, Rights) throws -> Value
  ) async throws -> Value {
    let context = acting.context(requestID: services.ids.next())
    let options = TransactionOptions.inside(acting.company.id, user: acting.user, readOnly: true)
    return try await services.denials.watching(context) {
      try await services.database.transaction(options) { tx in
        let rights = try Rights.read(acting, requestID: context.requestID, tx)
        if let permission {
          try rights.require(permission, for: .read)
        } else {
          try rights.requireCompany(permits: .read)
        }
        return try body(tx, rights)
      }
    }
  }

  /// Runs a read-only body on the actor's own rows. A token requires the permission.
  ///
  /// - Throws: `forbidden`, `not_found`, or the error of the company's status.
  package func readOwn<Value: Sendable>(
    _ acting: ActingContext,
    permission: String,
    _ body: @escaping @Sendable (Transaction, Rights) throws -> Value
  ) async throws -> Value {
    try await read(acting, permission: nil) { tx, rights in
      try rights.requireOwn(permission, for: .read)
      return try body(tx, rights)
    }
  }

  /// Runs a body that writes a member's own rows, such as preferences, if the member has a voice. A token
  /// requires the permission.
  ///
  /// - Throws: `invalid_input` for an operator in their own name, `forbidden`, or the error of the company's
  ///   status.
  package func speak<Value: Sendable>(
    _ acting: ActingContext,
    permission: String,
    _ body: @escaping @Sendable (Transaction, UUID) throws -> Value
  ) async throws -> Value {
    guard let user = acting.user else {
      throw DomainError(.invalidInput, "an operator has no inbox", hint: "name the member with --as")
    }
    let context = acting.context(requestID: services.ids.next())
    let key = RequestKey.current
    return try await services.denials.watching(context) {
      try await services.database.transaction(.inside(acting.company.id, user: user)) { tx in
        let rights = try Rights.read(acting, requestID: context.requestID, tx)
        try rights.requireVoice()
        try rights.requireOwn(permission, for: .write)
        try key?.claim(tx)
        return try body(tx, user)
      }
    }
  }

  /// Runs a body that changes the company if the actor has the permission, and writes the audit entries that
  /// it returns. Claims the idempotency key of the request, if it has one, in the same transaction.
  ///
  /// - Parameters:
  ///   - permission: nil if the body checks permissions itself.
  ///   - use: the use that the company's status must permit.
  /// - Throws: `forbidden`, `not_found`, or the error of the company's status.
  @discardableResult
  package func administer<Value: Sendable>(
    _ acting: ActingContext,
    permission: String?,
    for use: CompanyStatus.Use = .write,
    _ body: @escaping @Sendable (Transaction, Rights) throws -> (Value, [AuditEntry])
  ) async throws -> Value {
    let context = acting.context(requestID: services.ids.next())
    let ids = services.ids
    let key = RequestKey.current
    var options = TransactionOptions.inside(acting.company.id, user: acting.user)
    options.retries = 5
    options.resolvesLostCommit = true
    let (value, concernsDevices) = try await services.denials.watching(context) { [options] in
      try await services.database.transaction(options) { tx in
        guard try CompanyStore.lock(id: acting.company.id, tx) != nil else {
          throw DomainError(.notFound, "there is no such company")
        }
        let rights = try Rights.read(acting, requestID: context.requestID, tx)
        if let permission {
          try rights.require(permission, for: use)
        } else {
          try rights.requireCompany(permits: use)
        }
        try key?.claim(tx)
        let (value, audit) = try body(tx, rights)
        try AuditWriter.commit(audit.map { (ids.next(), $0) }, context: context, tx)
        return (value, audit.contains(where: \.concernsDevices))
      }
    }
    if concernsDevices {
      await SyncNotifier(services.database, moment: services.notifiesWorkers).notify(acting.company.id)
    }
    return value
  }
}
