package import FoundationEssentials
package import Secrets

/// A store in a bucket of an S3-compatible service: `<company>/<aa>/<sha256>`, and the pieces of uploads in
/// `uploads/<company>/<id>/<offset>`.
///
/// A service has no append, so every piece is an object, and sealing writes them again as one. Set a lifecycle rule
/// that removes objects under `uploads/` after two days: pieces of processes that were killed are not listed.
package struct S3Store: BlobStore {
  private let client: S3Client

  /// - Parameter pool: the threads for requests, because libcurl's simple interface blocks.
  package init(
    _ place: S3Place,
    _ credentials: S3Place.Credentials,
    pool: ThreadPool = ThreadPool(threads: 8, queueLimit: 512)
  ) {
    client = S3Client(place, credentials, pool: pool)
  }

  package var place: String { client.place.description }

  package func append(_ bytes: [UInt8], to upload: UploadKey, at offset: Int) async throws(FilesError) {
    for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
      let piece = Array(bytes[start..<min(start + Self.pieceSize, bytes.count)])
      try await require(S3Client.Request(method: "PUT", key: key(upload, offset + start), body: piece))
    }
  }

  package func measure(_ upload: UploadKey, size: Int) async throws(FilesError) -> MeasuredUpload {
    var digest = SHA256Stream()
    var (head, tail): ([UInt8], [UInt8]) = ([], [])
    try await pieces(of: upload, size: size) { piece in
      digest.update(piece)
      if head.count < MeasuredUpload.window { head = Array((head + piece).prefix(MeasuredUpload.window)) }
      tail = Array((tail + piece).suffix(MeasuredUpload.window))
    }
    return MeasuredUpload(size: size, digest: digest.digest(), head: head, tail: tail)
  }

  package func seal(_ upload: UploadKey, size: Int, as digest: [UInt8]) async throws(FilesError) {
    let blob = BlobKey(company: upload.company, digest: digest)
    var whole: [UInt8] = []
    do throws(FilesError) {
      try await pieces(of: upload, size: size) { whole += $0 }
    } catch {
      guard error.kind == .missing else { throw error }
      // Sealed before: the pieces were removed.
      let answer = try await client.send(S3Client.Request(method: "HEAD", key: key(blob)))
      guard answer.status == 200 else { throw Self.failure(answer.status) }
      return
    }
    guard SHA256.hash(whole) == digest else { throw FilesError(.mismatch, "the upload has another digest") }
    try await require(S3Client.Request(method: "PUT", key: key(blob), body: whole))
    try await discard(upload, size: size)
  }

  package func read(_ blob: BlobKey, _ range: Range<Int>) async throws(FilesError) -> [UInt8] {
    guard !range.isEmpty else { return [] }
    let answer = try await client.send(S3Client.Request(method: "GET", key: key(blob), range: range))
    switch answer.status {
    case 206: return answer.body
    case 200: return Array(answer.body.dropFirst(range.lowerBound).prefix(range.count))
    case 416: return []
    default: throw Self.failure(answer.status)
    }
  }

  package func remove(_ blob: BlobKey) async throws(FilesError) { try await delete(key(blob)) }

  package func discard(_ upload: UploadKey) async throws(FilesError) {
    try await discard(upload, size: .max)
  }

  /// Does nothing and returns 0: a lifecycle rule of the bucket removes abandoned pieces.
  package func sweep(company: UUID, olderThan seconds: Int) async throws(FilesError) -> Int { 0 }

  /// Does nothing: the database names the blobs, and a lifecycle rule removes abandoned pieces.
  package func clear(company: UUID) async throws(FilesError) {}

  /// Returns nil: the bucket is not listed.
  package func count(company: UUID) async throws(FilesError) -> Int? { nil }

  package func check() async throws(FilesError) {
    let upload = UploadKey(company: UUID(), id: UUID())
    let measured = try await put([0x66], as: upload)
    try await seal(upload, size: 1, as: measured.digest)
    let blob = BlobKey(company: upload.company, digest: measured.digest)
    let bytes = try await read(blob, 0..<1)
    try await remove(blob)
    guard bytes == [0x66] else {
      throw FilesError(.unavailable, "the store returns other bytes than were stored")
    }
  }

  /// Reads the pieces of an upload in order. A piece begins where the previous one ends.
  private func pieces(
    of upload: UploadKey,
    size: Int,
    _ body: ([UInt8]) -> Void
  ) async throws(FilesError) {
    var offset = 0
    while offset < size {
      let answer = try await client.send(S3Client.Request(method: "GET", key: key(upload, offset)))
      guard answer.status == 200 else { throw Self.failure(answer.status) }
      guard !answer.body.isEmpty, offset + answer.body.count <= size else {
        throw FilesError(.mismatch, "the upload has another size than \(size)")
      }
      body(answer.body)
      offset += answer.body.count
    }
  }

  /// Removes the pieces, the last one first, so that a repetition after a crash still finds the others.
  private func discard(_ upload: UploadKey, size: Int) async throws(FilesError) {
    var offsets: [Int] = []
    var offset = 0
    while offset < size {
      let answer = try await client.send(S3Client.Request(method: "GET", key: key(upload, offset)))
      guard answer.status == 200, !answer.body.isEmpty else { break }
      offsets.append(offset)
      offset += answer.body.count
    }
    for offset in offsets.reversed() { try await delete(key(upload, offset)) }
  }

  private func delete(_ key: String) async throws(FilesError) {
    let answer = try await client.send(S3Client.Request(method: "DELETE", key: key))
    guard answer.status == 404 || (200..<300).contains(answer.status) else {
      throw Self.failure(answer.status)
    }
  }

  private func require(_ request: S3Client.Request) async throws(FilesError) {
    let answer = try await client.send(request)
    guard (200..<300).contains(answer.status) else { throw Self.failure(answer.status) }
  }

  private func key(_ blob: BlobKey) -> String {
    "\(Self.text(blob.company))/\(blob.hex.prefix(2))/\(blob.hex)"
  }

  private func key(_ upload: UploadKey, _ offset: Int) -> String {
    "uploads/\(Self.text(upload.company))/\(Self.text(upload.id))/\(offset)"
  }

  private static func text(_ id: UUID) -> String { id.uuidString.lowercased() }

  private static func failure(_ status: Int) -> FilesError {
    switch status {
    case 404: FilesError(.missing, "there is no such stored file")
    case 403: FilesError(.unavailable, "the store of files refused the credentials (status 403)")
    default: FilesError(.unavailable, "the store of files answered with status \(status)")
    }
  }
}
