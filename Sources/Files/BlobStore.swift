package import FoundationEssentials

/// The key of stored bytes: a company and the SHA-256 of the bytes. Companies share no bytes.
package struct BlobKey: Sendable, Hashable {
  /// The company.
  package let company: UUID
  /// The SHA-256 of the bytes, 32 bytes.
  package let digest: [UInt8]

  /// - Precondition: the digest has 32 bytes.
  package init(company: UUID, digest: [UInt8]) {
    precondition(digest.count == 32, "a SHA-256 has 32 bytes")
    self.company = company
    self.digest = digest
  }

  /// The digest in hexadecimal, 64 characters.
  var hex: String {
    String(
      decoding: digest.flatMap { byte in [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]] },
      as: UTF8.self
    )
  }

  private static let digits = Array("0123456789abcdef".utf8)
}

/// The key of the bytes of an upload that is not complete.
package struct UploadKey: Sendable, Hashable {
  /// The company.
  package let company: UUID
  /// The id of the upload.
  package let id: UUID

  package init(company: UUID, id: UUID) {
    self.company = company
    self.id = id
  }
}

/// The digest and the ends of an upload, from which its media type is recognised.
package struct MeasuredUpload: Sendable, Equatable {
  /// The number of bytes at each end that are kept.
  package static let window = 65_536

  /// The number of bytes.
  package let size: Int
  /// The SHA-256 of all bytes.
  package let digest: [UInt8]
  /// The first bytes, at most ``window``.
  package let head: [UInt8]
  /// The last bytes, at most ``window``.
  package let tail: [UInt8]

  package init(size: Int, digest: [UInt8], head: [UInt8], tail: [UInt8]) {
    self.size = size
    self.digest = digest
    self.head = head
    self.tail = tail
  }
}

/// A store of the bytes of files. All operations may be repeated after an error or a crash.
///
/// The bytes of an upload are appended in pieces, measured, and sealed under their digest. Only sealed bytes can be
/// read. The database decides which bytes are needed; see `core.blob`.
package protocol BlobStore: Sendable {
  /// Stores bytes of an upload at an offset, durably. Replaces bytes that were stored at the offset or after it.
  ///
  /// - Throws: `mismatch` if fewer bytes than the offset are stored, `full`, `busy`, `unavailable`.
  func append(_ bytes: [UInt8], to upload: UploadKey, at offset: Int) async throws(FilesError)

  /// Reads an upload and returns its digest and its ends.
  ///
  /// - Throws: `missing`, or `mismatch` unless exactly `size` bytes are stored.
  func measure(_ upload: UploadKey, size: Int) async throws(FilesError) -> MeasuredUpload

  /// Makes an upload readable under its digest, durably, and ends it. Succeeds if that was done before.
  ///
  /// - Throws: `missing`, `mismatch`, `full`, `busy`, `unavailable`.
  func seal(_ upload: UploadKey, size: Int, as digest: [UInt8]) async throws(FilesError)

  /// Returns a range of the bytes of a blob; fewer if the blob ends before.
  ///
  /// - Throws: `missing`, `busy`, `unavailable`.
  func read(_ blob: BlobKey, _ range: Range<Int>) async throws(FilesError) -> [UInt8]

  /// Removes a blob. Succeeds if there is none.
  func remove(_ blob: BlobKey) async throws(FilesError)

  /// Removes the bytes of an upload. Succeeds if there are none.
  func discard(_ upload: UploadKey) async throws(FilesError)

  /// Removes the bytes of uploads that nobody has written to for a number of seconds, if the store can list them.
  ///
  /// - Returns: the number of removed uploads.
  func sweep(company: UUID, olderThan seconds: Int) async throws(FilesError) -> Int

  /// Removes whatever else the store has of a company, if it can list that. Succeeds if there is nothing.
  func clear(company: UUID) async throws(FilesError)

  /// Returns the number of files that the store has of a company; nil if it cannot list them.
  func count(company: UUID) async throws(FilesError) -> Int?

  /// Checks that the store can be written to, read and cleaned up.
  func check() async throws(FilesError)

  /// A short description of the place for operators, without secrets.
  var place: String { get }
}

extension BlobStore {
  /// The number of bytes that are read or appended at once: 1 MiB.
  package static var pieceSize: Int { 1 << 20 }

  /// Stores bytes under their digest, in the place of an upload.
  ///
  /// - Returns: the SHA-256 of the bytes.
  package func put(_ bytes: [UInt8], as upload: UploadKey) async throws(FilesError) -> MeasuredUpload {
    var offset = 0
    repeat {
      let piece = bytes[offset..<min(offset + Self.pieceSize, bytes.count)]
      try await append(Array(piece), to: upload, at: offset)
      offset += piece.count
    } while offset < bytes.count
    return try await measure(upload, size: bytes.count)
  }

  /// Returns all bytes of a blob.
  ///
  /// - Throws: `mismatch` if the blob has another size.
  package func all(_ blob: BlobKey, size: Int) async throws(FilesError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    while bytes.count < size {
      let piece = try await read(blob, bytes.count..<min(bytes.count + Self.pieceSize, size))
      guard !piece.isEmpty else { throw FilesError(.mismatch, "a stored file is shorter than it was") }
      bytes += piece
    }
    return bytes
  }
}
