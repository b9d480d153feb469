internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets

/// The idempotency key of a request whose whole answer is kept: of administration, sign-in and everything else that is no
/// command on records.
///
/// The transaction that has the request's effect claims the key, so that the effect happens once, also if the process is
/// killed or the request is repeated at the same time. The answer is kept when it is complete. Ambient, so that no use case
/// has to pass it on.
package final class RequestKey: Sendable {
  /// The key of the request of this task; nil for none.
  @TaskLocal package static var current: RequestKey?

  /// The company of the actor; the system company for a request without a credential.
  package let company: UUID
  /// The member whose rows the actor sees; nil for none.
  package let user: UUID?
  private let actor: String
  private let key: String
  private let requestHash: [UInt8]
  /// Tells this request from another one with the key.
  private let request: UUID

  /// The system company, which keeps the answers of requests without a credential.
  package static let everybody =
    UUID(text: "00000000-0000-7000-8000-000000000000")
    ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))

  package init(company: UUID, user: UUID?, actor: String, key: String, requestHash: [UInt8], request: UUID) {
    self.company = company
    self.user = user
    self.actor = actor
    self.key = key
    self.requestHash = requestHash
    self.request = request
  }

  /// The row to which a sealed answer is bound.
  package var place: String { "answer/\(company.uuidString.lowercased())/\(actor)/\(key)" }

  /// What is known of an earlier request with the key.
  package enum Known: Sendable {
    /// The key is new.
    case nothing
    /// The effect has happened, and the answer is not kept yet: the request is running, or its process was killed.
    case pending
    /// The sealed answer.
    case answered([UInt8])
  }

  /// Claims the key in the transaction that has the effect of the request. Several transactions of a request may claim it.
  ///
  /// - Throws: ``Taken`` if another request has claimed it.
  package func claim(_ tx: Transaction) throws {
    let own = request.uuidString.lowercased()
    let tickets = try tx.pipeline { pipeline in
      let before = pipeline.rows(
        "select coalesce(current_setting('fettle.company_id', true), '')",
        String.self
      )
      pipeline.execute("select set_config('fettle.company_id', \(company.uuidString.lowercased()), true)")
      pipeline.execute(
        """
        insert into core.idempotency (company_id, key, actor, request_hash, answer)
        values (\(company), \(key), \(actor), \(requestHash), jsonb_build_object('pending', \(own)::text))
        on conflict do nothing
        """
      )
      let holder = pipeline.rows(
        """
        select coalesce(i.answer ->> 'pending', '') from core.idempotency i
        where i.company_id = \(company) and i.actor = \(actor) and i.key = \(key)
        """,
        String.self
      )
      return (before: before, holder: holder)
    }
    try tx.execute("select set_config('fettle.company_id', \(tickets.before.first ?? ""), true)")
    guard try tickets.holder.first == own else { throw Taken() }
  }

  /// Returns what is known of an earlier request. The transaction must be inside ``company``.
  ///
  /// - Throws: `idempotency_conflict` if the key was used for another request.
  package func known(_ tx: Transaction) throws -> Known {
    let row = try tx.first(
      """
      select i.request_hash, i.answer ->> 'sealed' from core.idempotency i
      where i.company_id = \(company) and i.actor = \(actor) and i.key = \(key)
      """,
      [UInt8].self,
      String?.self
    )
    guard let (hash, sealed) = row else { return .nothing }
    guard hash == requestHash else {
      throw DomainError(.idempotencyConflict, "the key \(Quoted(key)) was used for another request")
    }
    guard let sealed else { return .pending }
    guard let bytes = Hex.decode(sealed) else { throw DomainError(.internal, "a kept answer is damaged") }
    return .answered(bytes)
  }

  /// Keeps the sealed answer. The transaction must be inside ``company``.
  package func keep(_ sealed: [UInt8], _ tx: Transaction) throws {
    let own = request.uuidString.lowercased()
    try tx.execute(
      """
      insert into core.idempotency as i (company_id, key, actor, request_hash, answer)
      values (\(company), \(key), \(actor), \(requestHash), jsonb_build_object('sealed', \(Hex.encode(sealed))::text))
      on conflict (company_id, actor, key) do update set answer = excluded.answer
      where i.answer ->> 'pending' = \(own)
      """
    )
  }

  /// Another request with the key has had its effect.
  package struct Taken: Error {
    init() {}
  }
}
