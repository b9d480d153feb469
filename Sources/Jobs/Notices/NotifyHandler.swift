internal import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// Delivers the notice of a transition to its recipients: the creator, the members with a role, or the member
/// in a column.
///
/// Members who have opted out, or may not read the record, get none, nor does the person who made the transition: nobody
/// is told of what they did themselves.
package struct NotifyHandler: JobHandler {
  /// The payload that a `notify` effect enqueues.
  package struct Payload: Codable, Sendable {
    /// The recipient as the workflow writes it: the creator, a role or a column.
    let to: String
    /// The template of the notice.
    let template: String
    /// The type of the record.
    let recordType: String
    /// The record whose transition caused the notice.
    let recordID: UUID
    /// The number of the transition's entry in the record's history.
    let historySeq: Int64
    /// The person who made the transition, or on whose behalf it was made; nil for the system and for a notice without
    /// an author.
    let actor: UUID?

    enum CodingKeys: String, CodingKey {
      case to, template, actor
      case recordType = "record_type"
      case recordID = "record_id"
      case historySeq = "history_seq"
    }
  }

  /// `notify.send`.
  package let kind = "notify.send"
  private let catalogue: @Sendable () -> TypeCatalogue

  /// Creates a handler.
  ///
  /// - Parameter catalogue: called for each notice, because types change while a worker runs.
  package init(_ catalogue: @escaping @autoclosure @Sendable () -> TypeCatalogue) {
    self.catalogue = catalogue
  }

  /// Returns effects that deliver the notice, once per member and job; they write nothing if the record was
  /// deleted meanwhile.
  ///
  /// - Throws: ``JobFailure/permanent(_:)`` if the recipient cannot be parsed; another error if the record
  ///   type is unknown, after which the job is retried.
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
      let users = try recipient.people(of: document, company: company, tx).filter { $0 != payload.actor }
      try notices.deliver(payload.template, to: users, about: document, data: document, key: key, tx)
    }
  }
}
