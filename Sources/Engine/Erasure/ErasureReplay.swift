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

  /// Erases what the entries name and the database still has.
  ///
  /// - Returns: the number of erased companies and people.
  package func run(_ entries: [ErasureLedger.Entry]) async throws -> Int {
    var erased = 0
    for entry in entries {
      try ledger.add(kind: entry.kind, digest: entry.digest)
      if try await entry.kind == "company" ? eraseCompany(entry.digest) : erasePerson(entry.digest) {
        erased += 1
      }
    }
    return erased
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
