package import Domain
package import Files
package import FoundationEssentials
package import Postgres
internal import Secrets
package import Store

/// Erases a person in all companies: her account and what is hers alone go, and an account without a name takes her place in
/// what others rely on, such as hours and history. For operators only.
///
/// It may be interrupted at any point and run again.
package struct PersonErasure: Sendable {
  /// What was erased.
  package struct Outcome: Sendable {
    package let erasure: UUID
    /// The number of deleted and changed rows.
    package let rows: Int64
    /// The number of companies in which she was a member.
    package let companies: Int
    /// The number of removed blobs and uploads.
    package let files: Int
  }

  private let database: Database
  private let store: any BlobStore
  private let ledger: ErasureLedger
  private let actor: Actor

  /// - Parameter database: connected as `fettle_admin`.
  package init(_ database: Database, _ store: any BlobStore, _ ledger: ErasureLedger, actor: Actor) {
    self.database = database
    self.store = store
    self.ledger = ledger
    self.actor = actor
  }

  /// Returns the account with an address.
  ///
  /// - Throws: `not_found`.
  package static func account(_ address: String, _ database: Database) async throws -> UUID {
    let key = EmailAddress.key(ofHandle: address)
    let found = try await database.transaction { tx in
      try tx.first(
        "select u.id from core.app_user u where u.email_key = \(key) and u.kind <> 'visitor'",
        UUID.self
      )
    }
    guard let found else {
      throw DomainError(
        .notFound,
        "nobody has the address \(Quoted(address))",
        hint: "search with `fettle member search`"
      )
    }
    return found
  }

  /// Erases the person.
  ///
  /// - Parameter evenOwner: true to erase the only active owner of a company too, as somebody has done before.
  /// - Throws: `wrong_state` for the only active owner of a company, and if the database refuses the change of a company;
  ///   she is erased in the others then.
  package func run(user: UUID, evenOwner: Bool = false) async throws -> Outcome {
    let companies = try await database.transaction { tx in
      try tx.rows(
        "select c.id, c.slug, c.status from core.company c order by c.id",
        UUID.self,
        String.self,
        String.self
      )
    }
    let memberships = try await companies.asyncCount { company in
      try await isMember(user, of: company.0, company.1, status: evenOwner ? "archived" : company.2)
    }
    let (erasure, digest) = try await database.transaction { [actor] tx in
      let row = try tx.first(
        "select r.erasure, r.digest from core.request_person_erasure(\(user), \(actor.name ?? "operator")) r",
        UUID.self,
        [UInt8].self
      )
      guard let row else { throw DomainError(.notFound) }
      return (row.0, row.1)
    }
    try ledger.add(kind: "person", digest: digest)
    var files = 0
    var refusals: [DomainError] = []
    for (company, slug, status) in companies where status != "erased" {
      // A company that cannot be changed does not keep her names in the others.
      do {
        try await erase(erasure, in: company)
      } catch let error as PostgresError where error.kind == .server {
        refusals.append(Self.refusal(error, slug))
        continue
      }
      let purged = try await FilePurge(database, store, company: company).run()
      files += purged.blobs + purged.uploads
    }
    if let first = refusals.first { throw first }
    let rows = try await database.transaction { [actor] tx in
      let rows = try tx.value("select core.finish_person_erasure(\(erasure))", as: Int64.self)
      try tx.execute("select set_config('fettle.company_id', \(SystemCompany.id.text), true)")
      try SystemCompany.write("person.erased", erasure: erasure, ["rows": .string("\(rows)")], by: actor, tx)
      return rows
    }
    return Outcome(erasure: erasure, rows: rows, companies: memberships, files: files)
  }

  private static func refusal(_ error: PostgresError, _ slug: String) -> DomainError {
    let place = [error.schema, error.table].compactMap(\.self).joined(separator: ".")
    let what = [place, DomainError(error).message].filter { !$0.isEmpty }.joined(separator: ": ")
    return DomainError(
      .wrongState,
      "the person is not erased in \(slug): \(what)",
      hint: "change the rows that stand in the way, and run `fettle person erase` again, which continues"
    )
  }

  /// Returns true if the person was a member of a company.
  ///
  /// - Throws: `wrong_state` if she is its only active owner.
  private func isMember(_ user: UUID, of company: UUID, _ slug: String, status: String) async throws -> Bool {
    try await database.transaction(.inside(company)) { tx in
      let owners = try tx.rows(
        """
        select m.user_id
        from core.membership m
        join core.app_user u on u.id = m.user_id
        where m.company_id = \(company) and m.role = 'owner' and m.status = 'active' and u.status = 'active'
        """,
        UUID.self
      )
      if owners == [user], ["active", "suspended"].contains(status) {
        throw DomainError(
          .wrongState,
          "the person is the only active owner of \(slug)",
          hint: "run `fettle company transfer \(slug) --to MEMBER` first, or erase the company"
        )
      }
      return try tx.value(
        "select exists (select from core.membership m where m.company_id = \(company) and m.user_id = \(user))",
        as: Bool.self
      )
    }
  }

  private func erase(_ erasure: UUID, in company: UUID) async throws {
    var options = TransactionOptions()
    options.statementTimeout = .seconds(3_600)
    options.lockTimeout = .seconds(60)
    options.retries = 5
    try await database.transaction(options) { [actor] tx in
      let rows = try tx.value("select core.erase_person_in(\(erasure), \(company))", as: Int64.self)
      guard rows > 0, company != SystemCompany.id else { return }
      let ids = UUIDv7Generator.shared
      let entry = AuditEntry(
        action: "person.erased",
        subjectType: "erasure",
        subjectID: erasure.text,
        detail: JSON(["rows": .string("\(rows)")] as JSONObject)
      )
      let context = WorkContext(company: company, actor: actor, user: nil, requestID: ids.next())
      try tx.execute(AuditWriter.insert(entry, id: ids.next(), context: context))
    }
  }
}

extension Array {
  /// Returns the number of elements for which a condition holds, which is asked one after the other.
  fileprivate func asyncCount(_ condition: (Element) async throws -> Bool) async throws -> Int {
    var count = 0
    for element in self where try await condition(element) { count += 1 }
    return count
  }
}
