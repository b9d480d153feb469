internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Converts the effects of a transition to jobs and webhook events in the outbox. It skips the effect
/// `create`.
struct EffectWriter {
  let type: RecordType
  let acting: ActingContext

  func write(_ effects: [Effect], id: UUID, record: HistoryRecord, in work: inout Work) {
    for effect in effects {
      switch effect {
      case .notify(let recipient, let template):
        var payload: JSONObject = [
          "to": .string(recipient.text), "template": .string("\(type.definition.app).\(template)"),
          "record_type": .string(type.name),
          "record_id": .string(id.text), "history_seq": .integer(record.seq),
        ]
        if let person = acting.user { payload["actor"] = .string(person.text) }
        work.changes.jobs.append(
          NewJob(id: work.newID(), kind: "notify.send", payload: JSON(payload), cause: (type.name, id))
        )
      case .webhook(let event):
        work.changes.webhooks.append(
          WebhookEvent(event: event, recordType: type.name, recordID: id, historySeq: record.seq)
        )
      case .job(let kind):
        work.changes.jobs.append(NewJob(kind, about: type.name, id, at: record.seq, id: work.newID()))
      case .create:
        // `Records` creates the record after this transition, under the usual rules.
        continue
      }
    }
  }
}

extension NewJob {
  /// Creates a job about one change of a record. Its payload contains the change's keys, not its data.
  init(_ kind: String, about type: String, _ record: UUID, at seq: Int64, id: UUID) {
    let payload: JSONObject = [
      "record_type": .string(type), "record_id": .string(record.text), "history_seq": .integer(seq),
    ]
    self.init(id: id, kind: kind, payload: JSON(payload), cause: (type, record))
  }
}
