internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Numbers a message while its conversation is locked. Only the system may write messages of another author
  /// than `user`.
  static let tripMessage = RecordRule(locksParents: true) { fields, acting, pipeline in
    let content = fields["content"]?.string ?? ""
    guard content.utf8.count <= 65_536 else {
      throw DomainError(.invalidInput, "the message has more than 64 KiB")
    }
    if let author = fields["author"]?.string, author != "user", acting.actor.kind != .system {
      throw DomainError(.forbidden, "only a responder speaks as \(Quoted(author))", hint: "write author user")
    }
    guard let id = fields["conversation_id"]?.string.flatMap(UUID.init(uuidString:)) else {
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
        throw DomainError(.wrongState, "the conversation is archived", hint: "reopen it first")
      }
      return ["seq": .integer(try place.first ?? 1)]
    }
  }

  /// Refuses links made by hand, since the program must create the secret and show it once.
  static let tripPlanShare = RecordRule { fields, _, _ in
    // An existing share is being changed, and no edit accepts a secret.
    let isThere = fields["created_at"] != nil
    guard fields["token_hash"] == nil, !isThere else { return { _ in [:] } }
    throw DomainError(
      .invalidInput,
      "a share link is not made by hand",
      hint: "`fettle trip share` makes one and shows its secret once"
    )
  }
}
