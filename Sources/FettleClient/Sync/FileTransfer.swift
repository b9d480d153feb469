internal import GRDB
internal import SyncProtocol

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Sends the files of this device, and downloads those of the server.
struct FileTransfer: Sendable {
  private let exchange: Exchange
  private var store: LocalStore { exchange.store }

  init(_ exchange: Exchange) { self.exchange = exchange }

  /// Sends every file whose record is on the server, oldest first.
  ///
  /// - Returns: the number of files that were sent.
  func sendAll() async throws -> Int {
    var (tried, sent): (Set<String>, Int) = ([], 0)
    while true {
      let skipped = tried
      guard let entry = try await store.read({ db in try Uploads(db).next(after: skipped) }) else {
        return sent
      }
      tried.insert(entry.id)
      try await store.write { db in try Uploads(db).apply(.upload, to: entry.id) }
      do {
        let problem = try await send(entry)
        try await end(entry, problem)
        if problem == nil { sent += 1 }
      } catch {
        let counts = (error as? ClientError)?.kind == .unanswered
        try await store.write { db in try Uploads(db).apply(counts ? .fail : .restart, to: entry.id) }
        throw error
      }
    }
  }

  /// Announces a file and sends its bytes. The id is the device's: a repetition finds the same upload, or the file.
  ///
  /// - Returns: the refusal; nil after a success.
  private func send(_ entry: Uploads.Entry) async throws -> Problem? {
    let path = entry.type.split(separator: ".").map { Request.encoded(String($0)) }.joined(separator: "/")
    let announcement = try await exchange.keeper.send(
      Request(
        .post,
        "/v1/\(path)/\(entry.record)/files",
        json: [
          "id": .string(entry.id), "kind": .string(entry.kind), "name": .string(entry.name),
          "size": .integer(entry.size),
        ]
      )
    )
    guard announcement.isSuccess else { return announcement.problem }
    guard try announcement.json()["state"]?.string == "uploading" else { return nil }
    let bytes: [UInt8]
    do {
      bytes = [UInt8](try Data(contentsOf: URL(filePath: store.path(of: entry.id))))
    } catch {
      throw ClientError(.store, "the bytes of the file \(entry.name) cannot be read: \(error)")
    }
    let answer = try await exchange.keeper.send(
      Request(
        .put,
        "/v1/files/\(entry.id)",
        headers: ["content-type": entry.mediaType],
        body: bytes,
        timeout: .seconds(600)
      )
    )
    return answer.isSuccess ? nil : answer.problem
  }

  private func end(_ entry: Uploads.Entry, _ problem: Problem?) async throws {
    guard let problem else {
      return try await store.write { db in try Uploads(db).apply(.acknowledge, to: entry.id) }
    }
    let isBusy = problem.status >= 500 || problem.status == 429
    // Another request has the upload, for a minute after its end if the server was killed. That is no failed attempt.
    let event: SyncItem.Event = problem.code == "stale" ? .restart : isBusy ? .fail : .reject
    let (code, detail) = (problem.code, problem.error.message)
    try await store.write { db in
      try Uploads(db).apply(event, to: entry.id, code: code, detail: detail)
    }
    if isBusy { throw problem.error }
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
