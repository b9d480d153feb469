internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// Puts a notice into the inbox of whoever a transition names: the creator, a role, or a person in a column.
package struct NotifyHandler: JobHandler {
  /// What a `notify` effect leaves in the outbox.
  package struct Payload: Codable, Sendable {
    let to: String
    let template: String
    let recordType: String
    let recordID: UUID
    let historySeq: Int64

    enum CodingKeys: String, CodingKey {
      case to, template
      case recordType = "record_type"
      case recordID = "record_id"
      case historySeq = "history_seq"
    }
  }

  package let kind = "notify.send"
  private let catalogue: @Sendable () -> TypeCatalogue

  /// - Parameter catalogue: asked for every notice, because types are added and changed while a worker runs.
  package init(_ catalogue: @escaping @autoclosure @Sendable () -> TypeCatalogue) {
    self.catalogue = catalogue
  }

  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    guard let recipient = Recipient(payload.to) else {
      throw JobFailure.permanent("\(payload.to) is nobody to notify")
    }
    let type = try catalogue().type(payload.recordType)
    let company = context.job.company
    let key = context.idempotencyKey
    return JobEffects { tx in
      let row = try tx.first(
        type.view(company: company, id: payload.recordID, guards: []),
        as: ViewedRow.self
      )
      // Deleted meanwhile: there is nothing left to tell about.
      guard let document = try row?.document.value().object else { return }
      for user in try Self.people(recipient, document, company: company, tx) {
        try tx.execute(
          """
          insert into core.notification
            (company_id, id, user_id, template, record_type, record_id, data, dedupe_key, state)
          values (\(company), \(UUIDv7Generator.shared.next()), \(user), \(payload.template), \(payload.recordType),
                  \(payload.recordID), \(JSON(document)), \("\(key):\(user.uuidString.lowercased())"), 'sent')
          on conflict do nothing
          """
        )
      }
    }
  }

  private static func people(
    _ recipient: Recipient,
    _ document: JSONObject,
    company: UUID,
    _ tx: Transaction
  ) throws -> [UUID] {
    let named: [String?]
    switch recipient {
    case .role(let role):
      return try tx.rows(
        """
        select m.user_id from core.membership m
        where m.company_id = \(company) and m.status = 'active'
          and (m.role = \(role) or \(role) = 'admin' and m.role = 'owner')
        order by m.user_id
        """,
        UUID.self
      )
    case .creator: named = [document["created_by"]?.string]
    case .field(let column): named = [document[column]?.string]
    }
    let ids = named.compactMap { $0.flatMap(UUID.init(uuidString:)) }
    return try tx.rows(
      """
      select m.user_id from core.membership m
      where m.company_id = \(company) and m.status = 'active' and m.user_id = any (\(ids))
      """,
      UUID.self
    )
  }
}
