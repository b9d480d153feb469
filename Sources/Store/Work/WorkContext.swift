package import Domain
package import FoundationEssentials
package import Postgres

/// What kind of writing a transaction does; the guard trigger lets record tables be written by no other.
package enum WriteMode: String, Sendable {
  /// Commands of people, phones and jobs: a status moves only along its workflow.
  case engine
  /// Records taken over from elsewhere, in whatever status they had there.
  case `import`
  /// A change of a workflow's definition, which may move records to a status that no edge leads to.
  case migrate
}

/// Who writes, where, and under which request.
package struct WorkContext: Sendable {
  /// The company whose rows the transaction may see and write.
  package let company: UUID
  /// Who acts.
  package let actor: Actor
  /// Whose member the actor is, or acts for; nil for an operator or the system on their own behalf.
  package let user: UUID?
  /// What kind of writing this is.
  package let mode: WriteMode
  /// Identifies the request in history, audit, logs and jobs.
  package let requestID: UUID
  /// Under which key a repetition gets the first answer, and the hash of what was asked.
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
