internal import GRDB
internal import SyncProtocol

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The changes of one request, which are `uploading` until its answer is stored.
struct Batch: Sendable {
  let device: String
  let nos: [Int64]
  /// The cursor that was sent.
  let cursor: String?
  /// The member `push` of the request, as JSON.
  let push: String
  /// The waiting changes that the request describes, with what it says.
  let described: [(no: Int64, text: String)]
  /// The numbers of waiting and failed changes, once these are judged.
  let queue: String
  /// True if there is something to send.
  let isPush: Bool
}

extension Outbox {
  /// The most bytes of changes in a request, so that it is below the server's limit.
  private static let mostBytes = 786_432

  /// Starts to send the oldest changes.
  ///
  /// - Parameters:
  ///   - most: the largest number of changes.
  ///   - describes: true to describe waiting changes too.
  func take(_ schemaVersion: Int, most: Int = SyncLimits.mutations, describes: Bool = true) throws -> Batch {
    let cursors = Cursors(db)
    let device = try cursors.device
    // After lost answers, fewer and in the end one: the change that the server cannot answer must not fail the others.
    let most = min(most, max(1, SyncLimits.mutations >> min(2 * (try cursors.lost), 20)))
    var (documents, bytes): ([(Int64, String)], Int) = ([], 0)
    for row in try sendable(device, most) {
      let document = try row.document ?? self.document(of: row)
      guard bytes + document.utf8.count <= Self.mostBytes || documents.isEmpty else { break }
      if row.document == nil {
        // From now on, the number means exactly this.
        try db.execute(
          literal: "update change set document = \(document) where device = \(device) and no = \(row.no)"
        )
      }
      try apply(.upload, to: row)
      documents.append((row.no, document))
      bytes += document.utf8.count
    }
    let sent = Set(documents.map(\.0))
    let described = describes ? try described(device, without: sent) : []
    let (summary, queue) = try queue(device, without: sent, described)
    var members: [String: FieldValue] = [
      "device_id": .string(device), "schema_version": .integer(schemaVersion),
      "confirmed_no": .integer(try confirmed(device)), "queue": queue,
    ]
    if let epoch = try cursors.epoch { members["epoch"] = .string(epoch) }
    let rest = FieldValue.object(members).description.dropFirst()
    let mutations = documents.map(\.1).joined(separator: ",")
    return Batch(
      device: device,
      nos: documents.map(\.0),
      cursor: try cursors.cursor,
      push: "{\"mutations\":[\(mutations)],\(rest)",
      described: described.map { ($0.no, $0.description) },
      queue: summary,
      isPush: try !sent.isEmpty || !described.isEmpty || describes && summary != cursors.toldQueue
    )
  }

  /// True if a change can be sent now.
  var hasSendable: Bool { get throws { try !sendable(Cursors(db).device, 1).isEmpty } }

  /// Returns the changes that can be sent now, oldest first.
  ///
  /// A change waits while an earlier one of its record waits for a person, also one under the id of an old device. A patch
  /// also waits for the judgements on the earlier changes of its record: only then is known which version it is based on.
  private func sendable(_ device: String, _ most: Int) throws -> [ChangeRow] {
    var waiting: [RecordKey: Int64] = [:]
    for row in try rows("status in ('conflict', 'failed')") {
      waiting[row.key] = min(row.place, waiting[row.key] ?? .max)
    }
    let isMoving = try Cursors(db).nextDevice != nil
    let pending: SQLRequest<ChangeRow> = """
      select rowid, * from change where status = 'pending' and device = \(device) order by no limit \(4 * most + 1_000)
      """
    var (chosen, unjudged): ([ChangeRow], Set<RecordKey>) = ([], [])
    let pendingRows = try pending.fetchCursor(db)
    while let row = try pendingRows.next(), chosen.count < most {
      if isMoving, row.document == nil { continue }
      if let earlier = waiting[row.key], earlier < row.place { continue }
      if row.operation == .patch, row.document == nil, unjudged.contains(row.key) {
        waiting[row.key] = row.place
        continue
      }
      if row.operation != .create { unjudged.insert(row.key) }
      chosen.append(row)
    }
    return chosen
  }

  /// Returns the JSON of a change that is sent for the first time.
  private func document(of row: ChangeRow) throws -> String {
    var members: [String: FieldValue] = [
      "no": .integer(row.no), "type": .string(row.type), "id": .string(row.id),
      "op": .string(row.operation.rawValue),
      "client_time": .string(Date(timeIntervalSince1970: Double(row.madeAt)).ISO8601Format()),
    ]
    if row.operation == .create || row.operation == .patch || !row.fields.isEmpty {
      members["fields"] = .object(row.fields)
    }
    if row.operation == .patch { members["base_version"] = .integer(max(1, try base(of: row))) }
    if let transition = row.transition { members["transition"] = .string(transition) }
    if let comment = row.comment { members["comment"] = .string(comment) }
    if let file = row.file { members["file"] = try Uploads(db).entry(file).description }
    return FieldValue.object(members).description
  }

  /// Returns the latest version whose values of the patch's fields the device knew when it made the patch.
  ///
  /// That is the version of the record when the device began to change it, or a later one of its own making, if nobody
  /// else's versions are between.
  private func base(of row: ChangeRow) throws -> Int64 {
    let start = max(1, row.baseVersion)
    let own = try rows(of: row.key).filter { other in
      other.place < row.place && (other.version ?? 0) > start
        && (other.item.status == .synced
          || other.item.status == .resolved && other.decision?.isGivingUp == false)
    }
    let versions = Set(own.compactMap(\.version))
    func last(known version: Int64) -> Int64 {
      var version = version
      while versions.contains(version + 1) { version += 1 }
      return version
    }
    let bases = row.fields.keys.map { field in
      last(known: own.filter { $0.fields[field] != nil }.compactMap(\.version).max() ?? start)
    }
    return bases.min() ?? start
  }

  /// Returns the waiting changes whose status the server does not know.
  private func described(_ device: String, without sent: Set<Int64>) throws -> [ChangeRow] {
    let waiting = try rows("status in ('pending', 'failed') and result is null and device = ?", [device])
    return Array(
      waiting.filter { !sent.contains($0.no) && $0.told != $0.description }.prefix(SyncLimits.queued)
    )
  }

  /// Returns what the server is told about the changes that are not in the request.
  private func queue(_ device: String, without sent: Set<Int64>, _ described: [ChangeRow]) throws
    -> (summary: String, FieldValue)
  {
    let waiting = try rows("status in ('pending', 'failed') and device = ?", [device])
      .filter { !sent.contains($0.no) }
    let pending = waiting.filter { $0.item.status == .pending }
    // The server knows those that it has refused.
    let failed = waiting.count { $0.item.status == .failed && $0.result == nil }
    var queue: [String: FieldValue] = ["pending": .integer(pending.count), "failed": .integer(failed)]
    if let oldest = pending.map(\.madeAt).min() {
      queue["oldest"] = .string(Date(timeIntervalSince1970: Double(oldest)).ISO8601Format())
    }
    if !described.isEmpty {
      queue["items"] = .array(
        described.map { row in
          [
            "no": .integer(row.no), "status": .string(row.item.status.rawValue),
            "attempts": .integer(row.item.attempts), "type": .string(row.type), "id": .string(row.id),
            "op": .string(row.operation.rawValue),
          ]
        }
      )
    }
    return ("\(pending.count) \(failed)", .object(queue))
  }

  /// Ends a request without judgements.
  ///
  /// - Parameter isLost: true if no answer came. That is a failed attempt of a change that was sent alone.
  func end(_ batch: Batch, isLost: Bool) throws {
    let cursors = Cursors(db)
    if isLost, !batch.nos.isEmpty { try cursors.setLost(cursors.lost + 1) }
    let counts = isLost && batch.nos.count == 1
    for no in batch.nos {
      let row = try row(batch.device, no)
      if row.item.status == .uploading { try apply(counts ? .fail : .restart, to: row) }
    }
  }

  /// Notes what the server was told about waiting changes.
  func note(_ batch: Batch) throws {
    if batch.isPush { try Cursors(db).setToldQueue(batch.queue) }
    for (no, text) in batch.described {
      try db.execute(
        literal: "update change set told = \(text) where device = \(batch.device) and no = \(no)"
      )
    }
  }
}
