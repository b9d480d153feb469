internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Numbers a message under the lock of its conversation, and limits it to 64 KiB. Only the system may write
  /// as another author than `user`, or to an archived conversation.
  static let tripMessage = RecordRule(locksParents: true, dependsOn: ["trips.message"], atCreation: ["seq"]) {
    fields,
    acting,
    pipeline in
    let content = fields["content"]?.string ?? ""
    guard content.utf8.count <= 65_536 else {
      throw DomainError(.invalidInput, "the message has more than 64 KiB")
    }
    if let author = fields["author"]?.string, author != "user", acting.actor.kind != .system {
      throw DomainError(
        .forbidden,
        "only a responder may write as \(Quoted(author))",
        hint: "set author to user"
      )
    }
    guard let id = fields["conversation_id"]?.string.flatMap(UUID.init(text:)) else {
      return { _ in [:] }
    }
    let place = pipeline.rows(
      """
      select coalesce(max(m.seq), 0) + 1
      from trips.message m
      where m.company_id = \(acting.company.id) and m.conversation_id = \(id)
      """,
      Int32.self
    )
    let category = pipeline.rows(
      """
      select c.status_category from trips.conversation c
      where c.company_id = \(acting.company.id) and c.id = \(id)
      """,
      String.self
    )
    return { _ in
      if try category.first == "done", acting.actor.kind != .system {
        throw DomainError(.wrongState, "the conversation is archived", hint: "reopen the conversation first")
      }
      return ["seq": .integer(try place.first ?? 1)]
    }
  }

  /// Refuses new share links without a secret: ``Shares`` creates the secret and shows it once.
  static let tripPlanShare = RecordRule { fields, _, _ in
    // No edit accepts a secret.
    guard fields["token_hash"] == nil, !fields.isStoredRecord else { return { _ in [:] } }
    throw DomainError(
      .invalidInput,
      "a share link cannot be created as a record",
      hint: "create it with `fettle trip share add`, or POST /v1/trips/plan/{plan}/share"
    )
  }
}
