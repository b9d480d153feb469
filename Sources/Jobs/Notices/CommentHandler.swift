internal import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// Notifies the members that a comment mentions and, if the comment is new, the watchers of its record.
///
/// Each member gets at most one notice of a comment: a member who is mentioned and watches the record gets
/// that of the mention. The author gets none.
package struct CommentHandler: JobHandler {
  /// The payload that a comment enqueues.
  package struct Payload: Codable, Sendable {
    /// The comment that was added or changed.
    let commentID: UUID
    /// The type of the record, such as `trips.message`.
    let recordType: String
    /// The record that the comment is about.
    let recordID: UUID
    /// True if the comment is new. A changed comment notifies only members that it did not mention before.
    let isNew: Bool

    enum CodingKeys: String, CodingKey {
      case commentID = "comment_id"
      case recordType = "record_type"
      case recordID = "record_id"
      case isNew = "is_new"
    }
  }

  /// `comment.tell`.
  package let kind = "comment.tell"
  private let catalogue: @Sendable () -> TypeCatalogue

  /// Creates a handler.
  ///
  /// - Parameter catalogue: called for each job, because types change while a worker runs.
  package init(_ catalogue: @escaping @autoclosure @Sendable () -> TypeCatalogue) {
    self.catalogue = catalogue
  }

  /// Returns effects that deliver the notices; they write nothing if the record or the comment was deleted
  /// meanwhile.
  ///
  /// - Throws: an error if the record type is unknown; the job is retried.
  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let type = try catalogue().type(payload.recordType)
    let company = context.job.company
    return JobEffects { tx in
      let notices = Notices(type: type, company: company, record: payload.recordID)
      // The record was deleted or the comment withdrawn meanwhile.
      guard let document = try notices.document(tx),
        let comment = try tx.first(
          CommentStore.find(company: company, id: payload.commentID),
          as: CommentRow.self
        )
      else { return }
      let data: JSONObject = [
        "author": .string(comment.author), "record": .string(notices.title(document)),
        "body": .string(comment.body),
      ]
      // One key for both, so that no member is notified twice of one comment.
      let key = "comment:\(payload.commentID.uuidString.lowercased())"
      let mentioned = comment.mentions.filter { $0 != comment.createdBy }
      try notices.deliver("mention", to: mentioned, about: document, data: data, key: key, tx)
      guard payload.isNew else { return }
      let watchers = try notices.watchers(document, without: mentioned + [comment.createdBy], tx)
      try notices.deliver("comment", to: watchers, about: document, data: data, key: key, tx)
    }
  }
}
