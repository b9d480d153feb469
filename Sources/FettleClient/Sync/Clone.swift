internal import GRDB
internal import SyncProtocol

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The way out of a copied store: two devices number their changes under one id.
///
/// Changes that were sent may have been applied, so they are sent again under the old id, where a repetition changes
/// nothing. Changes that were certainly not applied move to a new id.
struct Clone: Sendable {
  private let exchange: Exchange

  init(_ exchange: Exchange) { self.exchange = exchange }

  static let error = ClientError(
    .deviceCloned,
    "another device sends changes under the id of this one, because the store was copied; this is a new device now",
    hint: "synchronise again to send the changes that wait"
  )

  /// Notes that another device used the number of a change, so that this change was not applied.
  func note(_ no: Int64, _ device: String) async throws {
    try await exchange.store.write { db in
      let (cursors, outbox) = (Cursors(db), Outbox(db))
      if try cursors.nextDevice == nil {
        try cursors.setNextDevice(UUID().uuidString.lowercased())
        // Whether these were applied is only known under the old id.
        for row in try outbox.rows("status = 'failed' and result is null and device = ?", [device]) {
          try outbox.apply(.retry, to: row)
        }
      }
      // Nor were later ones of its record, which are never sent before it. Under the old id they would be refused.
      try db.execute(
        literal: """
          update change set document = null
          where device = \(device) and no >= \(no) and status = 'pending' and result is null
            and (type, id) = (select c.type, c.id from change c where c.device = \(device) and c.no = \(no))
          """
      )
    }
  }

  /// Becomes the new device, to which all changes move that wait to be sent.
  func finish() async throws {
    try await exchange.store.write { db in
      let (cursors, outbox) = (Cursors(db), Outbox(db))
      guard let next = try cursors.nextDevice else { return }
      let old = try cursors.device
      let rows = try outbox.rows("status = 'pending' and device = ?", [old]).sorted { $0.no < $1.no }
      try cursors.become(device: next)
      for row in rows { try outbox.move(row) }
    }
  }
}
