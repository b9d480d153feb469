internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// The use cases of comments, mentions and watchers of records.
///
/// Every member who may read a record may comment on it, except guests. A member who creates a record or comments on it
/// becomes a watcher.
package struct Conversation: Sendable {
  /// The result of adding or editing a comment.
  package struct Answer: Sendable, Codable {
    package let id: UUID
    /// The mentioned handles that belong to members.
    package let mentioned: [String]
    /// The mentioned handles that belong to no member.
    package let unknown: [String]
  }

  private static let longestBody = 10_000
  private static let mostMentions = 50

  private let services: Services
  private let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Returns the comments on a record, oldest first.
  package func comments(_ acting: ActingContext, type name: String, id: UUID) async throws -> [CommentRow] {
    let company = acting.company.id
    return try await records.about(acting, type: name, id: id, as: CommentRow.self) {
      CommentStore.all(company: company, type: name, record: id)
    }
  }

  /// Returns the id of a comment on a record, given the id or its beginning.
  ///
  /// A complete id is returned without a lookup.
  ///
  /// - Throws: `not_found` if no comment matches, `invalid_input` if several match.
  package func find(_ acting: ActingContext, type name: String, id: UUID, _ beginning: String) async throws
    -> UUID
  {
    if let id = UUID(text: beginning) { return id }
    let found = try await comments(acting, type: name, id: id).map(\.id).filter {
      $0.text.hasPrefix(beginning.lowercased())
    }
    guard let first = found.first, !beginning.isEmpty else {
      throw DomainError(.notFound, "there is no comment \(Quoted(beginning)) on this record")
    }
    guard found.count == 1 else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(beginning)) fits more than one comment",
        hint: "write more characters of the id"
      )
    }
    return first
  }

  /// Adds a comment to a record and notifies its watchers and the mentioned members.
  ///
  /// - Parameters:
  ///   - given: the comment's id chosen by the caller; nil generates one.
  ///   - text: 1 to 10,000 characters with at most 50 mentions.
  ///   - key: the idempotency key.
  ///   - dryRun: true to write and roll back.
  /// - Throws: `missing_fields` for an empty comment, `value_too_long`, `invalid_input` for NUL or too many
  ///   mentions, `not_found` if the actor may not read the record.
  package func say(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    comment given: UUID? = nil,
    _ text: String,
    key: String? = nil,
    dryRun: Bool = false
  ) async throws -> Answer {
    let body = try Self.body(text)
    let comment = given ?? services.ids.next()
    let asked: JSONObject = ["comment": .string(given?.text ?? ""), "body": .string(body)]
    let idempotency = key.map { ($0, records.hash("say \(id.text)", name, asked)) }
    return try await records.perform(acting, idempotency: idempotency, dryRun: dryRun) { work in
      let access = try readable(acting, type: name, id: id, &work)
      let (answer, mentions) = try mentions(in: body, comment, work)
      let owner = try records.catalogue.type(name).definition.scope == .owner ? acting.user : nil
      work.changes.rows.append(
        CommentStore.insert(
          company: acting.company.id,
          id: comment,
          about: (name, id),
          owner: owner,
          body: body,
          mentions: mentions,
          author: (acting.user, access.userName ?? acting.actor.name ?? ""),
          at: access.now
        )
      )
      if let user = acting.user {
        work.changes.rows.append(
          CommentStore.follow(company: acting.company.id, type: name, record: id, user: user)
        )
      }
      tell(of: comment, isNew: true, type: name, id, &work)
      audit("record.commented", acting, type: name, id, &work)
      return answer
    }
  }

  /// Edits one of the actor's own comments and notifies newly mentioned members.
  ///
  /// - Throws: `forbidden` for another author's comment, and the errors of adding a comment.
  package func edit(_ acting: ActingContext, type name: String, id: UUID, comment: UUID, _ text: String)
    async throws
    -> Answer
  {
    let body = try Self.body(text)
    return try await records.perform(acting) { work in
      let access = try readable(acting, type: name, id: id, &work)
      let row = try locked(comment, acting, type: name, id, work)
      guard acting.user == row.createdBy else {
        throw DomainError(.forbidden, "this comment is \(row.author)'s", hint: "add a comment of your own")
      }
      let (answer, mentions) = try mentions(in: body, comment, work)
      work.changes.rows.append(
        CommentStore.edit(
          company: acting.company.id,
          id: comment,
          body: body,
          mentions: mentions,
          at: access.now
        )
      )
      tell(of: comment, isNew: false, type: name, id, &work)
      audit("record.comment_edited", acting, type: name, id, &work)
      return answer
    }
  }

  /// Deletes a comment.
  ///
  /// Members may delete their own comments. With permission to delete every record of the type, they may
  /// delete any comment.
  package func withdraw(_ acting: ActingContext, type name: String, id: UUID, comment: UUID) async throws {
    _ = try await records.perform(acting) { work in
      let access = try readable(acting, type: name, id: id, &work)
      let row = try locked(comment, acting, type: name, id, work)
      let isOwn = row.createdBy != nil && row.createdBy == acting.user
      if !isOwn { try Rights(acting, access).require("\(name).delete", for: .write) }
      work.changes.rows.append(
        CommentStore.withdraw(company: acting.company.id, id: comment, at: access.now)
      )
      if !isOwn {
        work.changes.audit.append(
          AuditEntry(action: "record.comment_withdrawn", subjectType: name, subjectID: id.text)
        )
      }
      return comment.text
    }
  }

  /// Adds the acting member to the watchers of a record, or removes them.
  ///
  /// - Throws: `invalid_input` for an operator in their own name.
  package func watch(_ acting: ActingContext, type name: String, id: UUID, _ isWatching: Bool) async throws {
    guard let user = acting.user else {
      throw DomainError(.invalidInput, "an operator cannot watch records", hint: "name the member with --as")
    }
    _ = try await records.perform(acting) { work in
      _ = try readable(acting, type: name, id: id, &work)
      work.changes.rows.append(
        CommentStore.watch(company: acting.company.id, type: name, record: id, user: user, isWatching)
      )
      return isWatching
    }
  }

  /// Returns the names of a record's watchers.
  package func watchers(_ acting: ActingContext, type name: String, id: UUID) async throws -> [String] {
    let document = try await records.show(acting, type: name, id: id)
    let creator = document["created_by"]?.string.flatMap(UUID.init(text:))
    return try await records.reading(acting) { tx, _ in
      try tx.rows(
        CommentStore.watchers(company: acting.company.id, type: name, record: id, creator: creator),
        UUID.self,
        String.self
      ).map(\.1)
    }
  }

  /// Returns the actor's rights after locking a record against deletion.
  ///
  /// - Throws: `not_found` unless the actor may read the record; `forbidden` for a guest and for a token without
  ///   `comment.create`; an error unless the company accepts writes.
  private func readable(_ acting: ActingContext, type name: String, id: UUID, _ work: inout Work) throws
    -> Access
  {
    let type = try records.catalogue.type(name)
    let (access, tickets) = try work.read { pipeline in
      (
        alive: pipeline.rows(type.lockAsParent(company: acting.company.id, id: id), Bool.self),
        view: pipeline.rows(type.view(company: acting.company.id, id: id, guards: []), as: ViewedRow.self)
      )
    }
    let rights = try Rights(acting, access)
    let document = try tickets.view.first?.document.value().object
    guard try tickets.alive.first == true, let document, rights.canRead(type, document) else {
      throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
    try rights.requireComment()
    return access
  }

  private func locked(_ comment: UUID, _ acting: ActingContext, type: String, _ id: UUID, _ work: Work) throws
    -> CommentRow
  {
    let statement = CommentStore.lock(company: acting.company.id, type: type, record: id, id: comment)
    guard let row = try work.transaction.first(statement, as: CommentRow.self) else {
      throw DomainError(.notFound, "there is no such comment on this record")
    }
    return row
  }

  private func mentions(in body: String, _ comment: UUID, _ work: Work) throws -> (Answer, [UUID]) {
    let handles = Mentions(in: body).handles
    guard !handles.isEmpty else { return (Answer(id: comment, mentioned: [], unknown: []), []) }
    guard handles.count <= Self.mostMentions else {
      throw DomainError(.invalidInput, "a comment can mention at most \(Self.mostMentions) people")
    }
    let found = try work.transaction.rows(
      CommentStore.members(company: work.context.company, handles: handles),
      UUID.self,
      String.self
    )
    let known = Set(found.map(\.1))
    return (
      Answer(
        id: comment,
        mentioned: handles.filter(known.contains),
        unknown: handles.filter { !known.contains($0) }
      ),
      found.map(\.0)
    )
  }

  private func tell(of comment: UUID, isNew: Bool, type: String, _ id: UUID, _ work: inout Work) {
    let payload: JSONObject = [
      "comment_id": .string(comment.text), "record_type": .string(type), "record_id": .string(id.text),
      "is_new": .bool(isNew),
    ]
    work.changes.jobs.append(
      NewJob(id: work.newID(), kind: "comment.tell", payload: JSON(payload), cause: (type, id))
    )
  }

  private func audit(_ action: String, _ acting: ActingContext, type: String, _ id: UUID, _ work: inout Work)
  {
    guard acting.actor.kind == .operator else { return }
    work.changes.audit.append(AuditEntry(action: action, subjectType: type, subjectID: id.text))
  }

  private static func body(_ text: String) throws(DomainError) -> String {
    let body = text.trimmingSpaces()
    guard body.isVisible else { throw DomainError(.missingFields, "the comment is empty") }
    guard !body.utf8.contains(0) else { throw DomainError(.invalidInput, "the comment contains NUL") }
    guard body.unicodeScalars.count <= longestBody else {
      throw DomainError(.valueTooLong, "the comment is longer than \(longestBody) characters")
    }
    return body
  }
}
