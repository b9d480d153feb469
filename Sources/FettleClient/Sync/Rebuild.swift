internal import GRDB
internal import SyncProtocol
internal import Values

/// Puts the store in order when it does not fit the server: after a restore of the server's database, and when own
/// records are missing or were left.
struct Rebuild: Sendable {
  private let exchange: Exchange
  private var store: LocalStore { exchange.store }

  init(_ exchange: Exchange) { self.exchange = exchange }

  /// Sends changes again that a restored database has forgotten, under the same numbers, and begins every scope again.
  func begin() async throws {
    let (device, nos) = try await store.read { db -> (String, [Int64]) in
      let device = try Cursors(db).device
      let rows = try Outbox(db).rows("result is not null and device = ?", [device])
      return (device, rows.filter { !Self.isGivenUp($0) }.map(\.no))
    }
    var known: Set<Int64> = []
    var rest = nos[...]
    while !rest.isEmpty {
      let part = rest.prefix(SyncLimits.known)
      rest = rest.dropFirst(part.count)
      known.formUnion(try await ask(device, Array(part)))
    }
    let forgotten = nos.filter { !known.contains($0) }
    try await store.write { db in
      let outbox = Outbox(db)
      for no in forgotten {
        let row = try outbox.row(device, no)
        // Somebody may have decided while the server answered.
        guard !Self.isGivenUp(row) else { continue }
        try outbox.renew(row)
        // The server has forgotten the bytes with the change; the record may not be on this device any more.
        if let file = row.file { try Uploads(db).renew(file) }
      }
      try Shadow(db).loseDeleted()
      try Cursors(db).restart(isRestored: true)
    }
  }

  /// A change that a person gave up is not sent again, whether the server has heard of it or not.
  private static func isGivenUp(_ row: ChangeRow) -> Bool {
    row.decision?.isGivingUp ?? (row.item.status == .resolved)
  }

  private func ask(_ device: String, _ nos: [Int64]) async throws -> [Int64] {
    let response = try await exchange.keeper.send(
      Request(
        .post,
        "/v1/sync/known",
        json: ["device_id": .string(device), "nos": .array(nos.map { .integer($0) })]
      )
    )
    if response.status == 404 { return [] }
    guard response.isSuccess else { throw response.problem.error }
    return try response.json()["nos"]?.array?.compactMap(\.integer) ?? []
  }

  /// Sends the bytes of files again that a restored database has forgotten. Call after a complete pull.
  ///
  /// The pull told the states of the files of records on this device. Of the others the server is asked: a record may be
  /// deleted, or be read no more, and its files are awaited all the same. A failure leaves the question for the next
  /// synchronisation.
  func restoreFiles() async throws {
    guard try await store.read({ db in try Cursors(db).asksFiles }) else { return }
    let transfer = FileTransfer(exchange)
    for (entry, isReadable) in try await store.read({ db in try Uploads(db).untold() })
    where try await transfer.isForgotten(entry, isReadable: isReadable) {
      try await store.write { db in try Uploads(db).renew(entry.id) }
    }
    try await store.write { db in try Cursors(db).setAsksFiles(false) }
  }

  /// Removes records of a type that are not the member's own any more.
  ///
  /// - Returns: true if records are missing, which only a pull from the beginning can bring.
  func reconcile(_ digest: Page.Digest) async throws -> Bool {
    let ids = Set(try await ownIDs(digest.type))
    let scope = "\(digest.type)!own"
    return try await store.write { db in
      let shadow = Shadow(db)
      let stored = try shadow.ids(scope: scope)
      try shadow.lose(stored.filter { !ids.contains($0) }, of: digest.type)
      return stored.count < digest.count
    }
  }

  private func ownIDs(_ type: String) async throws -> [String] {
    var ids: [String] = []
    while true {
      let after = ids.last.map { "&after=\($0)" } ?? ""
      let response = try await exchange.keeper.send(
        Request(.get, "/v1/sync/ids?type=\(type.percentEncoded)\(after)")
      )
      guard response.isSuccess else { throw response.problem.error }
      let json = try response.json()
      ids += json["ids"]?.array?.compactMap(\.string) ?? []
      guard json["has_more"]?.bool == true else { return ids }
    }
  }
}
