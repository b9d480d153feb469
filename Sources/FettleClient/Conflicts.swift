internal import GRDB
public import SyncProtocol

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The queue, and the decisions about what waits for a person.
extension Client {
  /// The changes that were not sent, or whose effect was not pulled yet, oldest first.
  public var pending: [Change] {
    get async throws { try await store.read { db in try Self.changes(db).filter { Self.waits($0) } } }
  }

  /// The changes that the server refused, and those to which no answer came in three attempts.
  public var failed: [Change] {
    get async throws { try await store.read { db in try Self.changes(db).filter { $0.status == .failed } } }
  }

  /// The changes that are in conflict with the server's record.
  public var conflicts: [Change] {
    get async throws { try await store.read { db in try Self.changes(db).filter { $0.status == .conflict } } }
  }

  /// All changes of the last 30 days, and older ones that are not done, oldest first.
  public var changes: [Change] { get async throws { try await store.read { db in try Self.changes(db) } } }

  /// Everything that is not synchronised, with its reason, oldest first: after a synchronisation, all that is left says
  /// for what it waits.
  public var waiting: [Waiting] { get async throws { try await store.read { db in try Waiting.all(db) } } }

  /// Returns the changes now, and again after each change of one.
  public func observeChanges() -> Observation<[Change]> { store.observe { db in try Self.changes(db) } }

  /// Decides about a conflict, or gives up a failed change. The decision is sent by the next synchronisation.
  ///
  /// - Throws: ``ClientError`` with the kinds `unknownChange` and `wrongState`.
  public func resolve(_ id: Change.ID, taking resolution: SyncResolution) async throws {
    let (device, no) = Self.key(id)
    try await store.write { db in
      let row = try Outbox(db).row(device, no)
      guard row.item.status == .conflict || row.item.status == .failed && resolution.isGivingUp else {
        throw ClientError(
          .wrongState(row.item.status),
          "change \(id) is \(row.item.status.rawValue), and cannot be resolved with \(resolution.rawValue)",
          hint: row.item.status == .failed ? "retry the change, or discard it" : nil
        )
      }
      try db.execute(
        literal: "update change set decision = \(resolution.rawValue) where device = \(device) and no = \(no)"
      )
    }
    wake()
  }

  /// Puts a change that failed or is in conflict back into the queue, such as after its cause was removed.
  ///
  /// - Throws: ``ClientError`` with the kinds `unknownChange` and `wrongState`.
  public func retry(_ id: Change.ID) async throws {
    let (device, no) = Self.key(id)
    try await store.write { db in
      let (outbox, cursors) = (Outbox(db), Cursors(db))
      let row = try outbox.apply(.retry, to: outbox.row(device, no))
      if try row.device != cursors.device { return try outbox.adopt(row) }
      // The server repeats its refusal unless a person asked for another judgement.
      try db.execute(
        literal: """
          update change set asks_retry = \(row.result != nil), decision = null where device = \(device) and no = \(no)
          """
      )
    }
    wake()
  }

  private static func waits(_ change: Change) -> Bool {
    change.status == .pending || change.status == .uploading
  }

  private static func changes(_ db: Database) throws -> [Change] {
    let cursors = Cursors(db)
    let (device, pulled, acknowledged) = (
      try cursors.currentDevice, try cursors.pulled, try cursors.acknowledged
    )
    return try Outbox(db).rows("true").map { row in
      try row.change(
        isPulled: row.checkpoint <= pulled && (row.device != device || row.no <= acknowledged)
      )
    }
  }

  static func key(_ id: Change.ID) -> (device: String, no: Int64) {
    (id.device.uuidString.lowercased(), id.number)
  }
}
