internal import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// Tells whom a comment mentions, and those who watch its record.
package struct CommentHandler: JobHandler {
  /// What a comment leaves in the outbox.
  package struct Payload: Codable, Sendable {
    let commentID: UUID
    let recordType: String
    let recordID: UUID
    /// Said just now; false for a changed text, of which only those newly mentioned hear.
    let isNew: Bool

    enum CodingKeys: String, CodingKey {
      case commentID = "comment_id"
      case recordType = "record_type"
      case recordID = "record_id"
      case isNew = "is_new"
    }
  }

  package let kind = "comment.tell"
  private let catalogue: @Sendable () -> TypeCatalogue

  /// - Parameter catalogue: asked for every job, because types are added and changed while a worker runs.
  package init(_ catalogue: @escaping @autoclosure @Sendable () -> TypeCatalogue) {
    self.catalogue = catalogue
  }

  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let type = try catalogue().type(payload.recordType)
    let company = context.job.company
    return JobEffects { tx in
      let notices = Notices(type: type, company: company, record: payload.recordID)
      // Deleted or taken back meanwhile: there is nothing left to tell about.
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
      // One key for both, so that nobody is told twice of one comment.
      let key = "comment:\(payload.commentID.uuidString.lowercased())"
      let mentioned = comment.mentions.filter { $0 != comment.createdBy }
      try notices.deliver("mention", to: mentioned, about: document, data: data, key: key, tx)
      guard payload.isNew else { return }
      let creator = document["created_by"]?.string.flatMap(UUID.init(uuidString:))
      let watchers = try tx.rows(
        CommentStore.watchers(
          company: company,
          type: type.name,
          record: payload.recordID,
          creator: creator
        ),
        UUID.self,
        String.self
      ).map(\.0).filter { $0 != comment.createdBy && !mentioned.contains($0) }
      try notices.deliver("comment", to: watchers, about: document, data: data, key: key, tx)
    }
  }
}
