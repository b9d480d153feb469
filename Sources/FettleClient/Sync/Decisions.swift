internal import GRDB
internal import SyncProtocol

/// Sends the decisions about changes that wait for a person, and learns of those that were taken elsewhere.
struct Decisions: Sendable {
  private let exchange: Exchange
  private var store: LocalStore { exchange.store }

  init(_ exchange: Exchange) { self.exchange = exchange }

  /// Sends the decisions that were taken on this device.
  ///
  /// One that the server cannot judge now waits, like a change that it cannot judge, with the decisions after it: it keeps
  /// nothing else from being sent and pulled.
  func send() async throws {
    let rows = try await store.read { db in
      try Outbox(db).rows("decision is not null and status in ('conflict', 'failed') or asks_retry = 1")
    }
    var isJudging = true
    for row in rows {
      if let decision = row.decision, row.item.status.isOpen, isJudging {
        isJudging = try await send(decision, row)
      }
      if row.asksRetry { try await askRetry(row) }
    }
  }

  /// Sends a decision.
  ///
  /// - Returns: false if the server cannot judge it now.
  private func send(_ decision: SyncResolution, _ row: ChangeRow) async throws -> Bool {
    let response = try await exchange.keeper.send(
      Request(
        .post,
        "/v1/sync/items/\(row.device)/\(row.no)/resolve",
        json: ["take": .string(decision.rawValue)]
      )
    )
    let version = response.isSuccess ? try response.json()["version"]?.integer : nil
    let (problem, now) = (response.problem, exchange.configuration.seconds)
    try await store.write { db in
      let outbox = Outbox(db)
      let row = try outbox.row(row.device, row.no)
      guard row.item.status == .conflict || row.item.status == .failed else { return }
      if response.isSuccess {
        try Self.end(row, decision, version: version, now: now, outbox)
      } else if response.status == 404, decision.isGivingUp {
        // The server has never judged the change, so that nothing is to be undone.
        try Self.end(row, decision, version: nil, now: now, outbox)
      } else if problem.code == "wrong_state", problem.members["sync_status"]?.string == "resolved" {
        try Self.end(row, .server, version: nil, now: now, outbox)
      } else if problem.code == "wrong_state", problem.members["sync_status"]?.string == "synced" {
        // The answer was lost. The repetition gets it, except under the id of an old device, which sends nothing more.
        guard try row.device == Cursors(db).device else {
          return try Self.end(row, decision, version: nil, now: now, outbox)
        }
        try outbox.apply(.retry, to: row)
        try Self.clear(row, db)
      } else if (400..<500).contains(response.status), response.status != 401, response.status != 429 {
        // Whatever the answer is, the person sees it, and decides again.
        try Self.clear(row, db)
        let answer = row.answer?.object ?? [:]
        let reason = FieldValue.object(
          answer.merging(["detail": .string(problem.error.message)]) { _, new in new }
        )
        try db.execute(
          literal: """
            update change set answer = \(reason.description) where device = \(row.device) and no = \(row.no)
            """
        )
      }
    }
    if response.status == 401 || response.status == 429 { throw problem.error }
    return response.status < 500
  }

  private static func clear(_ row: ChangeRow, _ db: Database) throws {
    try db.execute(
      literal: "update change set decision = null where device = \(row.device) and no = \(row.no)"
    )
  }

  /// Ends a change that waited.
  private static func end(
    _ row: ChangeRow,
    _ decision: SyncResolution,
    version: Int64?,
    now: Int64,
    _ outbox: Outbox
  ) throws {
    try outbox.apply(decision.event(in: row.item.status), to: row)
    try outbox.db.execute(
      literal: """
        update change set decision = \(decision.rawValue), version = coalesce(\(version), version), answered_at = \(now)
        where device = \(row.device) and no = \(row.no)
        """
    )
    if decision.isGivingUp, let file = row.file { try Uploads(outbox.db).giveUp(file) }
  }

  private func askRetry(_ row: ChangeRow) async throws {
    let response = try await exchange.keeper.send(
      Request(.post, "/v1/sync/items/\(row.device)/\(row.no)/retry")
    )
    // A change that the server does not know, or has not refused, is just sent again.
    guard response.isSuccess || response.status == 404 || response.status == 409 else {
      throw response.problem.error
    }
    try await store.write { db in
      try db.execute(
        literal: "update change set asks_retry = 0 where device = \(row.device) and no = \(row.no)"
      )
    }
  }

  /// Ends changes about which somebody decided elsewhere.
  ///
  /// - Parameter always: true after a restore, which may have forgotten decisions.
  func refresh(always: Bool) async throws {
    let condition = "status in ('conflict', 'failed') and result is not null"
    let waits = try await store.read { db in try !Outbox(db).rows(condition).isEmpty }
    guard waits || always else { return }
    let response = try await exchange.keeper.send(Request(.get, "/v1/sync/status"))
    guard response.isSuccess else { throw response.problem.error }
    let items = try response.json()["items"]?.array ?? []
    let listed = Dictionary(
      items.map { ("\($0["device_id"]?.string ?? "")/\($0["no"]?.integer ?? 0)", $0["status"]?.string ?? "") }
    ) { first, _ in first }
    let now = exchange.configuration.seconds
    try await store.write { db in
      let (outbox, shadow) = (Outbox(db), Shadow(db))
      // A longer list is cut off.
      if items.count < 500 {
        for row in try outbox.rows(condition) where listed["\(row.device)/\(row.no)"] == nil {
          guard row.decision == nil, try !shadow.isDropped(type: row.type) else { continue }
          try Self.end(row, .server, version: nil, now: now, outbox)
        }
        try shadow.settle()
      }
      guard always else { return }
      // A restore has forgotten the decision: it is sent again.
      for row in try outbox.rows("status = 'resolved' and decision is not null") {
        guard let status = listed["\(row.device)/\(row.no)"].flatMap(SyncStatus.init(rawValue:)) else {
          continue
        }
        try db.execute(
          literal: """
            update change set status = \(SyncItem(status: status, attempts: 0).status.rawValue)
            where device = \(row.device) and no = \(row.no)
            """
        )
      }
    }
  }
}
