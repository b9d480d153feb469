internal import GRDB
internal import SyncProtocol
internal import Values

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Sends the queue, and pulls what others changed, until there is nothing left to do.
final class Exchange: Sendable {
  let store: LocalStore
  let keeper: TokenKeeper
  let configuration: Configuration
  private let turn = Turn()

  init(_ store: LocalStore, _ keeper: TokenKeeper, _ configuration: Configuration) {
    self.store = store
    self.keeper = keeper
    self.configuration = configuration
  }

  /// The state of one synchronisation.
  private struct Run {
    var report = SyncReport()
    /// The most changes of a request.
    var most = SyncLimits.mutations
    /// True while changes are sent.
    var pushes = true
    /// True while the server is told about waiting changes.
    var describes = true
    /// The refusal of all changes; thrown at the end, when everything was pulled.
    var refusal: ClientError?
    /// True after a restart from the beginning: a second one would not help.
    var isRestarted = false
    var isRegistered = false
    var isRebuilt = false
    var isCloned = false
  }

  /// Synchronises once.
  ///
  /// - Throws: ``ClientError``. Everything that was answered before the failure is stored.
  func run() async throws -> SyncReport {
    try await turn.take {
      do {
        return try await self.synchronise()
      } catch let error as ClientError where error.kind == .signedOut {
        // Without a session there is no right to read. The queue stays, and the next sign-in pulls everything again.
        try await self.store.write { db in try Shadow(db).loseAll() }
        throw error
      }
    }
  }

  private func synchronise() async throws -> SyncReport {
    var run = Run()
    try await store.write { db in try Outbox(db).restart() }
    try await register(force: false)
    try await Decisions(self).send()
    while try await round(&run) {}
    try await Rebuild(self).restoreFiles()
    try await store.write { db in try Uploads(db).renewAwaited() }
    try await FileTransfer(self).sendAll(&run.report)
    try await Decisions(self).refresh(always: run.isRebuilt)
    let now = configuration.seconds
    run.report.waiting = try await store.write { db in
      try Outbox(db).prune(now: now)
      return try Waiting.all(db).count
    }
    if run.isCloned { throw Clone.error }
    if let refusal = run.refusal { throw refusal }
    return run.report
  }

  /// Registers the device when it is its turn.
  func registerNow() async throws { try await turn.take { try await self.register(force: true) } }

  /// Registers the device, unless it is registered with the same description.
  private func register(force: Bool) async throws {
    let device = try await store.write { db in try Cursors(db).device }
    var members: [String: FieldValue] = [
      "id": .string(device), "name": .string(configuration.deviceName),
      "platform": .string(configuration.platform), "app_version": .string(configuration.appVersion),
      "schema_version": .integer(configuration.schemaVersion),
    ]
    if let app = configuration.app { members["app"] = .string(app) }
    if let days = configuration.doneDays { members["done_days"] = .integer(days) }
    let description = FieldValue.object(members).description
    let registered = try await store.read { db in try Cursors(db).registration }
    guard force || registered != description else { return }
    let response = try await keeper.send(Request(.post, "/v1/sync/devices", json: description))
    guard response.isSuccess else { throw response.problem.error }
    try await store.write { db in try Cursors(db).setRegistration(description) }
  }

  /// Sends one request.
  ///
  /// - Returns: true if another one follows.
  private func round(_ run: inout Run) async throws -> Bool {
    let (most, schema) = (run.pushes ? run.most : 0, configuration.schemaVersion)
    let describes = run.describes
    let batch = try await store.write { db in try Outbox(db).take(schema, most: most, describes: describes) }
    let response: Response
    do {
      response = try await keeper.send(request(batch))
    } catch {
      let isLost = (error as? ClientError)?.kind == .unanswered
      try await store.write { db in try Outbox(db).end(batch, isLost: isLost) }
      throw error
    }
    guard response.isSuccess else { return try await refused(response.problem, batch, &run) }
    return try await store(response.json(), of: batch, &run)
  }

  private func request(_ batch: Batch) -> Request {
    guard batch.isPush else {
      return pull(device: batch.device, cursor: batch.cursor, limit: configuration.pageSize)
    }
    let cursor = batch.cursor.map { ",\"cursor\":\(FieldValue.string($0))" } ?? ""
    return Request(
      .post,
      "/v1/sync/exchange",
      json: "{\"push\":\(batch.push)\(cursor),\"limit\":\(configuration.pageSize)}"
    )
  }

  /// The request for the next page.
  func pull(device: String, cursor: String?, limit: Int) -> Request {
    let after = cursor.map { "&cursor=\($0.percentEncoded)" } ?? ""
    return Request(.get, "/v1/sync/changes?device=\(device)&limit=\(limit)\(after)")
  }

  /// Stores an answer: the judgements and the page in one transaction.
  private func store(_ json: FieldValue, of batch: Batch, _ run: inout Run) async throws -> Bool {
    let page = try Page(json["changes"]?.object != nil ? json["changes"] ?? .null : json)
    let results = json["push"]?["results"]?.array ?? []
    // The effects are in the feed before the page is read from it, so that the page's end includes them.
    let checkpoint = max(page.checkpoint, json["push"]?["checkpoint"]?.integer ?? 0)
    let now = configuration.seconds
    let (mismatches, isOtherEpoch): ([Page.Digest], Bool) = try await store.write { db in
      let outbox = Outbox(db)
      for result in results { try outbox.judge(batch.device, result, checkpoint: checkpoint, now: now) }
      try outbox.end(batch, isLost: false)
      try Cursors(db).setLost(0)
      try outbox.note(batch)
      if let epoch = try Cursors(db).epoch, epoch != page.epoch { return ([], true) }
      return (try page.apply(asked: batch.cursor, db) ?? [], false)
    }
    let judgements = results.compactMap { $0["result"]?.string.flatMap(SyncJudgement.init(rawValue:)) }
    run.report.applied += judgements.count { $0 == .applied || $0 == .merged }
    run.report.conflicts += judgements.count { $0 == .conflict }
    run.report.failed += judgements.count { $0 == .rejected }
    run.report.received += page.changes.count
    if isOtherEpoch { return try await rebuild(&run) }
    for digest in mismatches where try await Rebuild(self).reconcile(digest) && !run.isRestarted {
      run.isRestarted = true
      try await store.write { db in try Cursors(db).restart(isRestored: false) }
      return true
    }
    // Without a final judgement, the same request would get the same answer.
    if !batch.nos.isEmpty, !judgements.contains(where: \.isFinal) { run.pushes = false }
    if page.hasMore { return true }
    let isMoving = try await store.read { db in try Cursors(db).nextDevice != nil }
    let waits = try await store.read { db in try Outbox(db).hasSendable }
    let hasSendable = run.pushes && waits
    if isMoving, !hasSendable {
      try await Clone(self).finish()
      run.isCloned = true
      return false
    }
    return hasSendable
  }

  /// Handles the refusal of a whole request.
  ///
  /// - Returns: true if another request follows.
  private func refused(_ problem: Problem, _ batch: Batch, _ run: inout Run) async throws -> Bool {
    // A busy server is no failed attempt. Whether it has stored the changes, their repetition tells.
    try await store.write { db in
      try Outbox(db).end(batch, isLost: false)
      try Cursors(db).setLost(0)
    }
    switch problem.code {
    case "resync_required":
      if problem.members["reason"]?.string == "restored" { return try await rebuild(&run) }
      guard !run.isRestarted else { throw problem.error }
      run.isRestarted = true
      try await store.write { db in try Cursors(db).restart(isRestored: false) }
      return true
    case "device_cloned":
      guard let no = problem.members["no"]?.integer, batch.nos.contains(no) else { throw problem.error }
      try await Clone(self).note(no, batch.device)
      return true
    case "not_found" where !run.isRegistered:
      // The registration was lost by a restore.
      run.isRegistered = true
      try await register(force: true)
      return true
    case "device_revoked", "client_outdated": throw problem.error
    case "invalid_input" where !batch.isPush && batch.cursor != nil && !run.isRestarted:
      // The server does not accept the cursor any more.
      run.isRestarted = true
      try await store.write { db in try Cursors(db).restart(isRestored: false) }
      return true
    default: break
    }
    if let position = problem.members["mutation"]?.integer, batch.nos.indices.contains(Int(position)) {
      try await reject(batch.nos[Int(position)], of: batch, problem)
      return true
    }
    // Too large, or something in it cannot be read: fewer changes, and in the end the one that it is.
    if problem.status == 413 || Self.isUnreadable(problem), let last = batch.nos.last {
      guard batch.nos.count > 1 else {
        try await reject(last, of: batch, problem)
        return true
      }
      run.most = batch.nos.count / 2
      return true
    }
    guard batch.isPush, (400..<500).contains(problem.status),
      ![401, 426, 429].contains(problem.status)
    else { throw problem.error }
    // The changes wait; others' changes may still be read.
    run.pushes = false
    run.describes = false
    if !batch.nos.isEmpty { run.refusal = problem.error }
    return true
  }

  /// True if the request is not read at all, by the server or a program before it. Other refusals are those of what is
  /// beside the changes, such as the cursor.
  private static func isUnreadable(_ problem: Problem) -> Bool {
    [400, 422].contains(problem.status) && ["", "invalid_json", "invalid_number"].contains(problem.code)
  }

  /// Fails one change that the server cannot read, so that it does not keep the others from being sent.
  private func reject(_ no: Int64, of batch: Batch, _ problem: Problem) async throws {
    try await store.write { db in
      let outbox = Outbox(db)
      let row = try outbox.apply(.upload, to: outbox.row(batch.device, no))
      try outbox.apply(.reject, to: row)
      let answer = FieldValue.object(["detail": .string(problem.error.message)]).description
      let code = problem.code.isEmpty ? "\(problem.status)" : problem.code
      try db.execute(
        literal: """
          update change set code = \(code), answer = \(answer) where device = \(batch.device) and no = \(no)
          """
      )
    }
  }

  private func rebuild(_ run: inout Run) async throws -> Bool {
    guard !run.isRebuilt else {
      throw ClientError(.unavailable, "the server's database was restored twice during a synchronisation")
    }
    run.isRebuilt = true
    run.pushes = true
    try await Rebuild(self).begin()
    return true
  }
}
