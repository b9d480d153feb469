internal import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// Delivers the notice of a transition to its recipients: the creator, a role, or the member in a column.
///
/// Members who have opted out, or may not read the record, get none.
package struct NotifyHandler: JobHandler {
  /// The payload that a `notify` effect enqueues.
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

  /// - Parameter catalogue: called for each notice, because types change while a worker runs.
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
      let notices = Notices(type: type, company: company, record: payload.recordID)
      guard let document = try notices.document(tx) else { return }
      let users = try recipient.people(of: document, company: company, tx)
      try notices.deliver(payload.template, to: users, about: document, data: document, key: key, tx)
    }
  }
}
