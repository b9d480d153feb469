internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension JSONObject {
  /// The result of a command on a record, as the command line prints it.
  init(_ answer: RecordAnswer, dryRun: Bool) {
    let along = (answer.along ?? [:]).sorted { $0.key < $1.key }
    self = [
      "type": .string(answer.type), "id": .string(answer.id.text),
      "number": answer.number.map { .string($0) } ?? .null, "version": .integer(answer.version),
      "status": answer.status.map { .string($0) } ?? .null,
      "cascaded": .object(JSONObject(along.map { ($0.key, .integer($0.value)) })), "dry_run": .bool(dryRun),
    ]
  }

  /// The results of a transition of many records, as the command line prints them.
  init(_ outcome: BulkOutcome, dryRun: Bool) {
    let items = outcome.items.map { item -> JSONValue in
      [
        "record": .string(item.name ?? item.id.text),
        "result": .string(item.code == nil ? dryRun ? "would be done" : "done" : "refused"),
        "status": item.status.map { .string($0) } ?? .null,
        "version": item.version.map { .integer($0) } ?? .null,
        "code": item.code.map { .string($0.rawValue) } ?? .null,
        "reason": item.message.map { .string($0) } ?? .null, "id": .string(item.id.text),
      ]
    }
    self = [
      "items": .array(items), "done": .integer(outcome.done), "refused": .integer(outcome.refused),
      "dry_run": .bool(dryRun),
    ]
  }

  init(_ line: HistoryLine) throws {
    self = [
      "seq": .integer(line.seq), "at": .string(line.at.rfc3339), "kind": .string(line.kind),
      "transition": .text(line.transition), "from": .text(line.from), "to": .text(line.to),
      "actor_kind": .string(line.actorKind), "actor": .string(line.actor),
      "on_behalf_of": .text(line.onBehalfOf), "comment": .text(line.comment),
      "changes": try line.changes.value(),
    ]
  }

  init(_ comment: CommentRow) {
    self = [
      "id": .string(comment.id.text), "body": .string(comment.body), "author": .string(comment.author),
      "author_id": .text(comment.createdBy?.text), "mentions": .strings(comment.mentions.map(\.text)),
      "created_at": .string(comment.createdAt.rfc3339), "edited_at": .text(comment.editedAt?.rfc3339),
    ]
  }

  init(_ answer: Conversation.Answer) {
    self = [
      "id": .string(answer.id.text), "mentioned": .strings(answer.mentioned),
      "unknown": .strings(answer.unknown),
    ]
  }

  init(_ answer: AccessExplainer.Answer) {
    let steps = answer.decision.steps.map { step -> JSONValue in
      [
        "step": .string(step.name), "passed": .bool(step.passed), "finding": .string(step.finding),
        "code": .text(step.code?.rawValue),
      ]
    }
    self = [
      "member": .string(answer.member.email), "permission": .string(answer.permission.name),
      "allowed": .bool(answer.decision.isAllowed), "code": .text(answer.decision.refusal?.code.rawValue),
      "steps": .array(steps),
    ]
  }
}

extension JSONValue {
  /// Returns a string, or null for nil.
  static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
}
