internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Turns the effects of a transition into rows of the same transaction: jobs in the outbox, and nothing else.
struct EffectWriter {
  let type: RecordType
  let seat: Seat

  func write(_ effects: [Effect], id: UUID, record: HistoryRecord, in work: inout Work) throws {
    for effect in effects {
      switch effect {
      case .notify(let recipient, let template):
        let payload: JSONObject = [
          "to": .string(recipient.text), "template": .string(template), "record_type": .string(type.name),
          "record_id": .string(id.text), "history_seq": .integer(record.seq),
        ]
        work.changes.jobs.append(
          NewJob(id: work.newID(), kind: "notify.send", payload: JSON(payload), cause: (type.name, id))
        )
      case .webhook(let event):
        work.changes.webhooks.append(
          WebhookEvent(event: event, recordType: type.name, recordID: id, historySeq: record.seq)
        )
      case .job(let kind):
        let payload: JSONObject = [
          "record_type": .string(type.name), "record_id": .string(id.text),
          "history_seq": .integer(record.seq),
        ]
        work.changes.jobs.append(
          NewJob(id: work.newID(), kind: kind, payload: JSON(payload), cause: (type.name, id))
        )
      case .create(let other, _):
        throw DomainError(
          .invalidWorkflow,
          "the effect that creates \(other) is not supported by this version"
        )
      }
    }
  }
}
