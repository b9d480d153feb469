package import Domain
package import Files
internal import FoundationEssentials
package import Postgres
package import Store

/// Repeats the erasures of a ledger in a restored database, which has companies and people of before.
package struct ErasureReplay: Sendable {
  private let database: Database
  private let store: any BlobStore
  private let ledger: ErasureLedger
  private let actor: Actor

  /// - Parameters:
  ///   - database: connected as `fettle_admin`.
  ///   - store: the restored files.
  ///   - ledger: of the restored installation, which gets the repeated erasures.
  package init(_ database: Database, _ store: any BlobStore, _ ledger: ErasureLedger, actor: Actor) {
    self.database = database
    self.store = store
    self.ledger = ledger
    self.actor = actor
  }

  /// What was erased, and what could not be.
  package struct Outcome: Sendable {
    /// The number of erased companies and people.
    package internal(set) var erased = 0
    /// What is left of companies and people, with the reason and a remedy.
    package internal(set) var failures: [String] = []

    package init() {}
  }

  /// Erases what the entries name and the database still has.
  ///
  /// An entry that cannot be repeated is a failure of the outcome: the person cannot sign in, or the company is archived.
  package func run(_ entries: [ErasureLedger.Entry]) async throws -> Outcome {
    var outcome = Outcome()
    for entry in entries {
      try ledger.add(kind: entry.kind, digest: entry.digest)
      do {
        if try await entry.kind == "company" ? eraseCompany(entry.digest) : erasePerson(entry.digest) {
          outcome.erased += 1
        }
      } catch let error where !(error is CancellationError) {
        outcome.failures.append(try await close(entry, after: error))
      }
    }
    return outcome
  }

  /// Closes the account or the company of an entry that cannot be repeated.
  ///
  /// - Returns: the failure in a sentence.
  private func close(_ entry: ErasureLedger.Entry, after error: any Error) async throws -> String {
    let digest = entry.digest
    let isPerson = entry.kind == "person"
    let name = try await database.transaction { tx -> String? in
      if isPerson {
        try tx.first(
          """
          update core.app_user u set status = 'disabled', updated_at = now()
          where sha256(uuid_send(u.id)) = \(digest)
          returning u.email
          """,
          String.self
        )
      } else {
        try tx.first(
          """
          update core.company c set status = case c.status when 'erased' then c.status else 'archived' end
          where sha256(uuid_send(c.id)) = \(digest)
          returning c.slug
          """,
          String.self
        )
      }
    }
    let refusal = error as? DomainError ?? (error as? PostgresError).map { DomainError($0) }
    let (state, command) =
      isPerson
      ? ("the account is disabled", "person erase \(name ?? "ADDRESS") --yes")
      : ("the company is archived", "company erase \(name ?? "COMPANY") --now --yes")
    return """
      \(name ?? entry.kind) is not erased again: \(refusal?.message ?? "\(error)"); \(state). \
      Change what stands in the way, then run `fettle \(command)`
      """
  }

  private func eraseCompany(_ digest: [UInt8]) async throws -> Bool {
    let erasure = try await database.transaction { [actor] tx -> UUID? in
      let company = try tx.first(
        """
        update core.company c set status = case c.status when 'erased' then c.status else 'archived' end
        where sha256(uuid_send(c.id)) = \(digest)
          and not exists (select from core.erasure e where e.digest = \(digest) and e.finished_at is not null)
        returning c.id
        """,
        UUID.self
      )
      guard let company else { return nil }
      let running = try tx.first(
        "select e.id from core.erasure e where e.digest = \(digest) and e.started_at is not null",
        UUID.self
      )
      return try running
        ?? tx.value(
          "select core.request_erasure(\(company), now(), \(actor.name ?? "restore"))",
          as: UUID.self
        )
    }
    guard let erasure else { return false }
    return try await CompanyErasureRun(database, store, ledger, erasure: erasure, actor: actor).run() != nil
  }

  private func erasePerson(_ digest: [UInt8]) async throws -> Bool {
    let user = try await database.transaction { tx in
      try tx.first("select u.id from core.app_user u where sha256(uuid_send(u.id)) = \(digest)", UUID.self)
    }
    guard let user else { return false }
    _ = try await PersonErasure(database, store, ledger, actor: actor).run(user: user, evenOwner: true)
    return true
  }
}
