package import Domain
package import FoundationEssentials
package import Postgres

/// The kind of a transaction's writes. The guard trigger refuses all other writes to record tables.
package enum WriteMode: String, Sendable {
  /// Commands of people, devices and jobs: a status moves only along its workflow.
  case engine
  /// Imported records, in the status they had elsewhere.
  case `import`
  /// A change of a workflow's definition, which may move records to a status without a transition.
  case migrate
}

/// The actor, the company and the request of a write.
package struct WorkContext: Sendable {
  /// The company whose rows the transaction may see and write.
  package let company: UUID
  /// The actor.
  package let actor: Actor
  /// The member who acts, or on whose behalf the actor acts; nil for an operator or the system on their own
  /// behalf.
  package let user: UUID?
  package let mode: WriteMode
  /// Identifies the request in history, audit, logs and jobs.
  package let requestID: UUID
  /// The key under which a repetition returns the first answer, and the hash of the request.
  package let idempotency: (key: String, requestHash: [UInt8])?

  package init(
    company: UUID,
    actor: Actor,
    user: UUID?,
    mode: WriteMode = .engine,
    requestID: UUID,
    idempotency: (key: String, requestHash: [UInt8])? = nil
  ) {
    self.company = company
    self.actor = actor
    self.user = user
    self.mode = mode
    self.requestID = requestID
    self.idempotency = idempotency
  }
}

extension TransactionOptions {
  /// A transaction that sees one company's rows.
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
    case .engine: settings.append(.word("fettle.write", "engine"))
    case .import: settings.append(.word("fettle.write", "import"))
    case .migrate: settings.append(.word("fettle.write", "migrate"))
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
