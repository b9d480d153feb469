internal import GRDB
internal import SyncProtocol

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Sends the bytes of this device's files, and downloads those of the server.
struct FileTransfer: Sendable {
  /// The result of an attempt.
  private enum Outcome {
    case sent
    /// The server had more bytes than the device believed, or another request has the upload. That is no failed attempt.
    case later(Problem)
    case refused(Problem)
  }

  private let exchange: Exchange
  private var store: LocalStore { exchange.store }

  init(_ exchange: Exchange) { self.exchange = exchange }

  /// Sends every file whose change is applied, oldest first, and tells the server of those that were given up.
  func sendAll(_ report: inout SyncReport) async throws {
    var tried: Set<String> = []
    while true {
      let skipped = tried
      guard let entry = try await store.read({ db in try Uploads(db).next(after: skipped) }) else { break }
      tried.insert(entry.id)
      try await store.write { db in try Uploads(db).apply(.upload, to: entry.id) }
      do {
        switch try await send(entry) {
        case .sent:
          report.files += 1
          try await end(entry, .acknowledge, nil)
        case .later(let problem): try await end(entry, .restart, problem)
        case .refused(let problem):
          report.failed += 1
          try await end(entry, .reject, problem)
        }
      } catch {
        let counts = (error as? ClientError)?.kind == .unanswered
        try await store.write { db in try Uploads(db).apply(counts ? .fail : .restart, to: entry.id) }
        throw error
      }
    }
    try await withdraw()
  }

  /// Asks how many bytes the server has, and sends the rest. The id is the device's: a repetition finds the same upload,
  /// or the file.
  ///
  /// - Throws: the error of a server that is busy, so that the file waits.
  private func send(_ entry: Uploads.Entry) async throws -> Outcome {
    var standing = try await self.standing(of: entry)
    if case .unknown = standing {
      // A file that no change attaches, or whose upload has expired.
      let creation = try await exchange.keeper.send(creation(of: entry))
      guard creation.isSuccess else { return try outcome(of: creation.problem) }
      standing = try await self.standing(of: entry)
    }
    let offset: Int64
    switch standing {
    case .received(let count): offset = count
    case .unknown, .busy: return .later(Self.busy)
    case .refused(let problem): return try outcome(of: problem)
    }
    guard offset < entry.size else { return .sent }
    let bytes: [UInt8]
    do {
      bytes = [UInt8](try Data(contentsOf: URL(filePath: store.path(of: entry.id))))
    } catch {
      throw ClientError(.store, "the bytes of the file \(entry.name) cannot be read: \(error)")
    }
    let answer = try await exchange.keeper.send(
      Request(
        .patch,
        Self.path(entry),
        headers: [
          "tus-resumable": "1.0.0", "upload-offset": "\(offset)",
          "content-type": "application/offset+octet-stream",
        ],
        body: Array(bytes.dropFirst(Int(offset))),
        timeout: .seconds(600)
      )
    )
    return answer.isSuccess ? .sent : try outcome(of: answer.problem)
  }

  /// What the server has of a file.
  private enum Standing {
    case unknown
    /// Another request has the upload.
    case busy
    case refused(Problem)
    case received(Int64)
  }

  private static let busy = Problem(
    status: 409,
    members: ["code": "stale", "detail": "another request is sending the file"]
  )

  /// Returns what the server has of a file. The answer to the question has no body.
  private func standing(of entry: Uploads.Entry) async throws -> Standing {
    let answer = try await exchange.keeper.send(
      Request(.head, Self.path(entry), headers: ["tus-resumable": "1.0.0"])
    )
    if answer.status == 404 || answer.status == 410 { return .unknown }
    if answer.status == 409 { return .busy }
    guard answer.isSuccess else { return .refused(answer.problem) }
    guard let offset = answer.headers["upload-offset"].flatMap({ Int64($0) }), offset >= 0 else {
      throw ClientError(.invalidAnswer, "the server does not say how much it has of the file \(entry.name)")
    }
    // A file that is ready has another size.
    if answer.headers["upload-length"] == "\(offset)" { return .received(entry.size) }
    try await store.write { db in try Uploads(db).note(received: offset, of: entry.id) }
    return .received(offset)
  }

  /// Asks whether the server needs the bytes of a file again that it has acknowledged.
  ///
  /// - Parameter isReadable: true if the file's record is on this device.
  /// - Throws: the error of a server that is busy, and of an ended session.
  func isForgotten(_ entry: Uploads.Entry, isReadable: Bool) async throws -> Bool {
    switch try await standing(of: entry) {
    case .received(let count): return count < entry.size
    case .busy: return true
    case .refused(let problem):
      // The next attempt to send it shows the reason.
      _ = try outcome(of: problem)
      return true
    case .unknown:
      // A file that was deleted is known, and stays deleted.
      guard isReadable else { return false }
      let known = try await exchange.keeper.send(Request(.get, "/v1/files/\(entry.id)"))
      if known.problem.isBusy || known.status == 401 { throw known.problem.error }
      return known.status == 404
    }
  }

  private func creation(of entry: Uploads.Entry) -> Request {
    let metadata = [
      ("id", entry.id), ("record_type", entry.type), ("record_id", entry.record), ("kind", entry.kind),
      ("filename", entry.name),
    ].map { "\($0) \(Data($1.utf8).base64EncodedString())" }
    return Request(
      .post,
      "/v1/uploads",
      headers: [
        "tus-resumable": "1.0.0", "upload-length": "\(entry.size)",
        "upload-metadata": metadata.joined(separator: ","),
      ]
    )
  }

  private static func path(_ entry: Uploads.Entry) -> String { "/v1/uploads/\(entry.id)" }

  /// - Throws: the error of a server that is busy, and of an ended session.
  private func outcome(of problem: Problem) throws -> Outcome {
    if problem.isBusy || problem.status == 401 { throw problem.error }
    // Another request has the upload, for a minute after its end if the server was killed.
    if problem.code == "stale" || problem.code == "link_expired" { return .later(problem) }
    return .refused(problem)
  }

  private func end(_ entry: Uploads.Entry, _ event: SyncItem.Event, _ problem: Problem?) async throws {
    let (code, detail) = (problem?.code, problem?.error.message)
    try await store.write { db in
      try Uploads(db).apply(event, to: entry.id, code: code, detail: detail)
    }
  }

  /// Tells the server of files that were given up before their bytes were sent, so that nobody waits for them.
  private func withdraw() async throws {
    for entry in try await store.read({ db in try Uploads(db).withdrawn() }) {
      let known = try await exchange.keeper.send(Request(.get, "/v1/files/\(entry.id)"))
      if known.problem.isBusy || known.status == 401 { throw known.problem.error }
      if known.isSuccess, try known.json()["state"] == "awaited" {
        let answer = try await exchange.keeper.send(Request(.delete, "/v1/files/\(entry.id)"))
        if answer.problem.isBusy || answer.status == 401 { throw answer.problem.error }
      }
      try await store.write { db in try Uploads(db).withdraw(entry.id) }
    }
  }

  /// Returns the path of a file on this device, which is downloaded at the first use.
  func path(of id: String, _ variant: FileVariant) async throws -> String {
    let path = store.path(of: id, variant)
    if FileManager.default.fileExists(atPath: path) { return path }
    let response = try await exchange.keeper.send(
      Request(.get, "/v1/files/\(id)/content?variant=\(variant.rawValue)", timeout: .seconds(600))
    )
    guard response.isSuccess else { throw response.problem.error }
    do {
      try Data(response.body).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw ClientError(.store, "the file cannot be written to \(path): \(error)")
    }
    return path
  }
}
