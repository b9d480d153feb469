package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Records {
  /// Returns the first broken link of a record's history; nil if the chain is intact.
  ///
  /// Recomputes the hash of every entry and compares the last one with the head stored in the record. Works
  /// for deleted records too.
  ///
  /// - Throws: `not_found` if there is no such record, `forbidden` without permission to read all records of
  ///   the type.
  package func verify(_ acting: ActingContext, type name: String, id: UUID) async throws -> HistoryChain
    .Break?
  {
    let type = try catalogue.type(name)
    let context = acting.context(requestID: services.ids.next())
    var options = TransactionOptions.inside(acting.company.id, user: acting.user, readOnly: true)
    // Head and entries come from one snapshot, so that a concurrent write does not look like a broken link.
    options.isolation = .repeatableRead
    return try await services.database.transaction(options) { tx in
      guard let access = try tx.first(Access.query(context), as: Access.self) else {
        throw DomainError(.notFound)
      }
      try Rights(acting, access).require("\(name).read", for: .read)
      guard let row = try tx.first(type.peek(company: acting.company.id, id: id), as: LockedRow.self) else {
        throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
      }
      let stored = try tx.rows(
        StoredEntry.query(company: acting.company.id, type: name, id: id),
        as: StoredEntry.self
      )
      let links = try stored.map { try $0.link(company: acting.company.id, type: name, id: id) }
      let head = HistoryChain.Head(seq: row.historySeq, hash: row.historyHash)
      if let found = HistoryChain.firstBreak(in: links, head: head, using: SHA256.hash) { return found }
      return stored.first(where: \.isBlanked).map { HistoryChain.Break(seq: $0.seq, reason: .blanked) }
    }
  }
}
