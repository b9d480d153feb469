internal import Domain
internal import Store
internal import SyncProtocol

extension SyncItem {
  /// The item as stored; nil for a status that this version does not know.
  init?(stored row: SyncItemRow) {
    guard let status = SyncStatus(rawValue: row.status) else { return nil }
    self.init(status: status, attempts: row.attempts)
  }

  /// Returns the item after a final judgement on a change.
  ///
  /// - Parameter row: the stored item, if the server knows it: a device described it, or a person asked for it again.
  /// - Throws: `wrong_state` for a judgement on an item that is judged already.
  static func judged(_ judgement: SyncJudgement, after row: SyncItemRow?) throws(DomainError) -> SyncItem {
    var item = row.flatMap(SyncItem.init(stored:)) ?? SyncItem()
    // A person gave up an item before the device could send it. The device did not hear of that.
    if item.status == .resolved, row?.result == nil { item = SyncItem() }
    // The device may have given up on an item, and retried it before the server heard of that.
    if item.status == .failed || item.status == .conflict { try item.apply(checked: .retry) }
    if item.status == .pending { try item.apply(checked: .upload) }
    try item.apply(checked: judgement.event)
    return item
  }

  /// Applies an event.
  ///
  /// - Throws: `wrong_state` with the valid events; then nothing is changed.
  mutating func apply(checked event: Event) throws(DomainError) {
    do {
      try apply(event)
    } catch {
      // The other events are not those of people.
      let allowed = error.allowed.filter { [.retry, .resolve, .discard].contains($0) }.map(\.rawValue)
      throw DomainError(
        .wrongState,
        error.description,
        hint: allowed.isEmpty ? nil : "allowed now: \(allowed.joined(separator: ", "))",
        // In a problem document, `status` is that of HTTP.
        details: ["sync_status": .string(error.status.rawValue), "allowed": .strings(allowed)]
      )
    }
  }
}
