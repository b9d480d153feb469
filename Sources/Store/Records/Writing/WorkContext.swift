package import Domain
package import FoundationEssentials
package import Postgres

/// The kind of writes that a transaction makes. The guard trigger rejects writes to record tables in other
/// modes.
package enum WriteMode: String, Sendable {
  /// Commands of people, devices and jobs: a status changes only along its workflow.
  case engine
  /// Imports: records begin in the status that they had elsewhere.
  case `import`
  /// Activations: records may move to another status without a transition.
  case migrate
}

/// The actor, the company and the request of a write.
package struct WorkContext: Sendable {
  /// The company whose rows the transaction may see and write.
  package let company: UUID
  /// The actor.
  package let actor: Actor
  /// The member who acts, or on whose behalf the actor acts; nil for an operator or the system without a
  /// member.
  package let user: UUID?
  package let mode: WriteMode
  /// Identifies the request in history, audit, logs and jobs.
  package let requestID: UUID
  /// The key under which a repeated request returns the first answer, and the hash of the request; nil for
  /// none.
  package let idempotency: (key: String, requestHash: [UInt8])?
  /// The hash of the request as it was written, by which a repetition is recognised too; nil for a request without names.
  package let writtenHash: [UInt8]?
  /// The session or token of the request, checked again by the transaction; nil for an actor without one.
  package let credential: Credential?

  package init(
    company: UUID,
    actor: Actor,
    user: UUID?,
    mode: WriteMode = .engine,
    requestID: UUID,
    idempotency: (key: String, requestHash: [UInt8])? = nil,
    writtenHash: [UInt8]? = nil,
    credential: Credential? = nil
  ) {
    self.company = company
    self.actor = actor
    self.user = user
    self.mode = mode
    self.requestID = requestID
    self.idempotency = idempotency
    self.writtenHash = writtenHash
    self.credential = credential
  }
}

extension TransactionOptions {
  /// Returns options for a transaction that sees one company's rows. The lock timeout is 5 s.
  ///
  /// - Parameters:
  ///   - user: the member whose private rows are visible; nil for none.
  ///   - mode: the kind of writes to record tables; nil for none.
  package static func inside(
    _ company: UUID,
    user: UUID? = nil,
    mode: WriteMode? = nil,
    readOnly: Bool = false,
    statementTimeout: Duration? = .seconds(10)
  ) -> TransactionOptions {
    var settings: [TransactionSetting] = [.uuid("fettle.company_id", company)]
    if let user { settings.append(.uuid("fettle.user_id", user)) }
    switch mode {
    case .engine: settings.append(.text("fettle.write", "engine"))
    case .import: settings.append(.text("fettle.write", "import"))
    case .migrate: settings.append(.text("fettle.write", "migrate"))
    case nil: break
    }
    var options = TransactionOptions()
    options.readOnly = readOnly
    options.settings = settings
    options.statementTimeout = statementTimeout
    options.lockTimeout = .seconds(5)
    options.poolKey = company
    return options
  }
}

extension TransactionSetting {
  /// Plans each prepared statement once per connection, not for each execution.
  ///
  /// For statements that find rows by key. PostgreSQL takes an array of unknown size for ten elements, and so would
  /// plan a statement about one element again and again, which takes longer than its execution. The functions that a
  /// statement calls plan in the same way.
  package static let genericPlans = TransactionSetting.text("plan_cache_mode", "force_generic_plan")
}
