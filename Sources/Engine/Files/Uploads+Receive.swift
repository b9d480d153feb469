internal import Domain
internal import Files
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// A part of an upload that does not have the digest that the client declared.
package struct ChecksumMismatch: Error {}

/// The digest of a part, declared by the client.
package enum PartChecksum: Sendable, Equatable {
  case sha1([UInt8])
  case sha256([UInt8])
}

extension Uploads {
  /// Receives all bytes of an upload and makes it a file of its record.
  ///
  /// If the upload is finished already, the bytes are only compared. After an error nothing of the bytes is kept, and
  /// the upload can be sent again.
  ///
  /// - Parameters:
  ///   - length: the declared number of bytes; nil if unknown.
  ///   - digest: the declared SHA-256 of the bytes; nil for none.
  /// - Throws: `payload_too_large`, `unsupported_media`, `invalid_input` for another size or digest than declared,
  ///   `already_exists` for other bytes than those of the finished upload, and the errors of editing the record.
  package func send(
    _ acting: ActingContext,
    _ id: UUID,
    _ bytes: some AsyncSequence<[UInt8], any Error>,
    length: Int? = nil,
    digest: [UInt8]? = nil
  ) async throws -> AttachmentRow {
    let known = try await show(acting, id)
    if known.isFinished { return try await compare(acting, id, bytes) }
    if let digest, let expected = known.expected, digest != expected {
      throw DomainError(.invalidInput, "the request declares another SHA-256 than the upload")
    }
    if let length {
      guard length <= known.size else { throw Self.tooLarge(known.size) }
      try Self.requireSize(length, of: known)
    }
    let store = try services.store()
    let writer = services.ids.next()
    let row = try await begin(acting, id, writer)
    do {
      var sink = UploadSink(self, acting, row, writer: writer, offset: 0, keepsPieces: true)
      for try await part in bytes { try await sink.take(part) }
      try await sink.flush()
      try Self.requireSize(sink.offset, of: row)
      return try await finish(acting, row, writer, size: sink.offset, expected: row.expected ?? digest)
    } catch {
      let key = UploadKey(company: acting.company.id, id: id)
      // The error of the request matters more; file.purge removes what is left.
      try? await shielded {
        try? await store.discard(key)
        try? await run(acting, UploadStore.reset(company: acting.company.id, id: id, writer: writer))
        try? await refuse(acting, id, error)
      }
      throw error
    }
  }

  /// Returns an upload whose client wants to go on. If all bytes had arrived when the server failed, the file is made
  /// now: a client that is told of all bytes is done.
  ///
  /// - Throws: `stale` while another request makes the file; the errors of ``append(_:_:at:_:checksum:)``.
  package func resume(_ acting: ActingContext, _ id: UUID) async throws -> UploadRow {
    let row = try await show(acting, id)
    guard !row.isFinished, row.received == row.size else { return row }
    let nothing = AsyncThrowingStream<[UInt8], any Error> { $0.finish() }
    return try await append(acting, id, at: row.received, nothing)
  }

  /// Appends a part to an upload. The last part makes it a file of its record.
  ///
  /// Without a checksum, the bytes that arrived before an error are kept, unless they are more than the declared size.
  /// With one, the part is kept as a whole or not at all.
  ///
  /// - Parameter offset: the number of bytes that the client believes to have sent.
  /// - Returns: the upload.
  /// - Throws: `stale` for another offset; ``ChecksumMismatch``; the errors of ``send(_:_:_:length:)``.
  package func append(
    _ acting: ActingContext,
    _ id: UUID,
    at offset: Int,
    _ bytes: some AsyncSequence<[UInt8], any Error>,
    checksum: PartChecksum? = nil
  ) async throws -> UploadRow {
    let company = acting.company.id
    let writer = services.ids.next()
    let row = try await begin(acting, id, writer)
    do {
      guard row.received == offset else {
        throw DomainError(
          .stale,
          "the upload has \(row.received) bytes, not \(offset)",
          hint: "ask for its offset with HEAD, and send the bytes from there",
          details: ["offset": .integer(row.received)]
        )
      }
      var sink = UploadSink(self, acting, row, writer: writer, offset: offset, keepsPieces: checksum == nil)
      do {
        for try await part in bytes { try await sink.take(part, checksum) }
        try Task.checkCancellation()
      } catch {
        // Bytes beyond the declared size: the request is not that of this upload, and nothing of it stays. Otherwise the
        // connection broke: the client asks for the offset and continues.
        let isRefused = (error as? DomainError)?.code == .payloadTooLarge
        if checksum == nil {
          let rest = sink
          try? await shielded {
            var sink = rest
            if isRefused { try await sink.withdraw() } else { try await sink.flush() }
          }
        }
        throw error
      }
      try await sink.flush()
      try await sink.verify(checksum)
      if sink.offset == row.size {
        _ = try await finish(acting, row, writer, size: row.size, expected: row.expected)
      }
    } catch {
      let code = (error as? DomainError)?.code
      let isFinal = code == .unsupportedMedia || code == .invalidInput
      // The store has lost bytes that were counted: the upload begins again.
      let isLost = code == .internal
      try? await shielded {
        try? await run(
          acting,
          isFinal
            ? UploadStore.expire(company: company, id: id)
            : isLost
              ? UploadStore.reset(company: company, id: id, writer: writer)
              : UploadStore.release(company: company, id: id, writer: writer)
        )
        try? await refuse(acting, id, error)
        if isFinal, let store = services.blobs {
          try? await store.discard(UploadKey(company: company, id: id))
        }
      }
      throw error
    }
    try await shielded {
      try await run(acting, UploadStore.release(company: company, id: id, writer: writer))
    }
    return try await show(acting, id)
  }

  private func refuse(_ acting: ActingContext, _ id: UUID, _ error: any Error) async throws {
    guard let error = error as? DomainError, error.code == .unsupportedMedia else { return }
    try await refuseAwaited(acting, id, error)
  }

  /// Compares bytes with those of a finished upload, without storing them.
  private func compare(
    _ acting: ActingContext,
    _ id: UUID,
    _ bytes: some AsyncSequence<[UInt8], any Error>
  ) async throws -> AttachmentRow {
    let file = try await Attachments(services, records).show(acting, id)
    var digest = SHA256Stream()
    var count = 0
    for try await part in bytes {
      count += part.count
      guard count <= AttachmentRule.largestFile else { throw Self.tooLarge(AttachmentRule.largestFile) }
      digest.update(part)
    }
    guard digest.digest() == file.originalDigest else { throw Self.taken }
    return file
  }

  private static func requireSize(_ size: Int, of row: UploadRow) throws {
    guard size > 0 else { throw DomainError(.invalidInput, "the file is empty") }
    guard size == row.size || !row.isSizeExact else {
      throw DomainError(.invalidInput, "the file has \(size) bytes, not the declared \(row.size)")
    }
  }
}

/// Collects the bytes of a request into pieces, stores them, and records the number of stored bytes.
struct UploadSink: Sendable {
  private let uploads: Uploads
  private let acting: ActingContext
  private let row: UploadRow
  private let writer: UUID
  private let keepsPieces: Bool
  private var buffer: [UInt8] = []
  private var sha1 = SHA1Stream()
  private var sha256 = SHA256Stream()
  /// The number of bytes that are stored.
  private(set) var offset: Int

  /// - Parameter keepsPieces: true to record each stored piece; false to record them together, after the check of
  ///   their digest.
  init(
    _ uploads: Uploads,
    _ acting: ActingContext,
    _ row: UploadRow,
    writer: UUID,
    offset: Int,
    keepsPieces: Bool
  ) {
    self.uploads = uploads
    self.acting = acting
    self.row = row
    self.writer = writer
    self.offset = offset
    self.keepsPieces = keepsPieces
  }

  /// Takes bytes, and stores complete pieces.
  mutating func take(_ bytes: [UInt8], _ checksum: PartChecksum? = nil) async throws {
    guard offset + buffer.count + bytes.count <= row.size else { throw Uploads.tooLarge(row.size) }
    switch checksum {
    case .sha1: sha1.update(bytes)
    case .sha256: sha256.update(bytes)
    case nil: break
    }
    buffer += bytes
    while buffer.count >= Self.piece { try await store(Self.piece) }
  }

  /// Stores the bytes that are left.
  mutating func flush() async throws {
    if !buffer.isEmpty { try await store(buffer.count) }
  }

  /// Forgets the bytes of this request. The next one writes over those that are stored.
  func withdraw() async throws { try await advance(to: row.received) }

  /// Checks the digest of the bytes, and records them.
  mutating func verify(_ checksum: PartChecksum?) async throws {
    switch checksum {
    case .sha1(let digest): guard sha1.digest() == digest else { throw ChecksumMismatch() }
    case .sha256(let digest): guard sha256.digest() == digest else { throw ChecksumMismatch() }
    case nil: return
    }
    try await advance(to: offset)
  }

  private static let piece = 1 << 20

  private mutating func store(_ count: Int) async throws {
    let store = try uploads.services.store()
    let key = UploadKey(company: acting.company.id, id: row.id)
    let (piece, start) = (Array(buffer.prefix(count)), offset)
    try await stored { () async throws(FilesError) in try await store.append(piece, to: key, at: start) }
    buffer.removeFirst(count)
    offset += count
    try await advance(to: keepsPieces ? offset : row.received)
  }

  private func advance(to received: Int) async throws {
    let company = acting.company.id
    let advance = UploadStore.advance(company: company, id: row.id, writer: writer, received: received)
    let isMine = try await uploads.services.database.transaction(.inside(company, user: acting.user)) { tx in
      try tx.rows(advance, Bool.self).first != nil
    }
    guard isMine else { throw Uploads.lost }
  }
}
