internal import Domain
internal import FoundationEssentials
internal import Store

extension RecordWriter {
  /// Adds the event of a change for the company's webhooks. A company without webhooks has no statement for it.
  func tellWebhooks(_ event: RecordEvent, id: UUID, seq: Int64, in work: inout Work) {
    guard access.hasWebhooks, type.definition.scope != .owner else { return }
    work.changes.webhooks.append(
      WebhookEvent(
        event: event.name(of: type),
        recordType: type.name,
        recordID: id,
        historySeq: seq,
        wildcard: RecordEvent.wildcard(of: type)
      )
    )
  }
}
