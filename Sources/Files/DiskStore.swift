package import FoundationEssentials
internal import Glibc
package import Secrets

/// A store in a folder that only its owner can access: `<folder>/<company>/<aa>/<sha256>`, and uploads in
/// `<folder>/uploads/<company>/<id>`.
///
/// Paths consist of ids and digests only. Several processes may use the same folder.
package struct DiskStore: BlobStore {
  private let root: String
  private let pool: ThreadPool

  /// Refers to a folder, which is created when bytes are first stored.
  ///
  /// - Parameters:
  ///   - path: the folder.
  ///   - pool: the threads for operations on files, which block.
  package init(path: String, pool: ThreadPool = ThreadPool(threads: 4, queueLimit: 512)) {
    root = path
    self.pool = pool
  }

  package var place: String { root }

  package func append(_ bytes: [UInt8], to upload: UploadKey, at offset: Int) async throws(FilesError) {
    let path = path(of: upload)
    try await run { () throws(FilesError) in
      try DiskFile.makeFolder(folder(of: upload))
      let file = try DiskFile(writing: path)
      defer { file.close() }
      guard try file.size() >= offset else {
        throw FilesError(.mismatch, "the upload has fewer than \(offset) bytes")
      }
      try file.truncate(to: offset)
      try file.write(bytes, at: offset)
      try file.synchronise()
    }
  }

  package func measure(_ upload: UploadKey, size: Int) async throws(FilesError) -> MeasuredUpload {
    let path = path(of: upload)
    return try await run { () throws(FilesError) in
      let file = try DiskFile(reading: path)
      defer { file.close() }
      guard try file.size() == size else {
        throw FilesError(.mismatch, "the upload has another size than \(size)")
      }
      var digest = SHA256Stream()
      var (head, tail): ([UInt8], [UInt8]) = ([], [])
      var offset = 0
      while offset < size {
        let piece = try file.read(offset..<min(offset + Self.pieceSize, size))
        guard !piece.isEmpty else { throw FilesError(.mismatch, "the upload has fewer than \(size) bytes") }
        digest.update(piece)
        if head.isEmpty { head = Array(piece.prefix(MeasuredUpload.window)) }
        tail = Array((tail + piece).suffix(MeasuredUpload.window))
        offset += piece.count
      }
      return MeasuredUpload(size: size, digest: digest.digest(), head: head, tail: tail)
    }
  }

  package func seal(_ upload: UploadKey, size: Int, as digest: [UInt8]) async throws(FilesError) {
    let part = path(of: upload)
    let blob = BlobKey(company: upload.company, digest: digest)
    let final = path(of: blob)
    try await run { () throws(FilesError) in
      try DiskFile.makeFolder(folder(of: blob))
      // Under another name, so that a request that lost the upload cannot change the bytes between check and seal.
      let checked = "\(part).\(blob.hex)"
      do throws(FilesError) {
        try DiskFile.rename(part, to: checked)
      } catch {
        guard error.kind == .missing else { throw error }
      }
      do throws(FilesError) {
        try Self.require(checked, size: size, digest)
      } catch {
        switch error.kind {
        // Sealed before.
        case .missing: return try Self.require(final, size: size, digest)
        case .mismatch:
          try DiskFile.remove(checked)
          throw error
        default: throw error
        }
      }
      try DiskFile.rename(checked, to: final)
      try DiskFile.synchroniseFolder(folder(of: blob))
      try DiskFile.synchroniseFolder(folder(of: upload))
    }
  }

  package func read(_ blob: BlobKey, _ range: Range<Int>) async throws(FilesError) -> [UInt8] {
    let path = path(of: blob)
    return try await run { () throws(FilesError) in
      let file = try DiskFile(reading: path)
      defer { file.close() }
      return try file.read(range)
    }
  }

  package func remove(_ blob: BlobKey) async throws(FilesError) {
    let path = path(of: blob)
    try await run { () throws(FilesError) in try DiskFile.remove(path) }
  }

  package func discard(_ upload: UploadKey) async throws(FilesError) {
    let path = path(of: upload)
    try await run { () throws(FilesError) in try DiskFile.remove(path) }
  }

  package func sweep(company: UUID, olderThan seconds: Int) async throws(FilesError) -> Int {
    let folder = "\(root)/uploads/\(Self.text(company))"
    return try await run { () throws(FilesError) in
      try DiskFile.removeFiles(in: folder, olderThan: seconds)
    }
  }

  package func clear(company: UUID) async throws(FilesError) {
    let folders = folders(of: company)
    try await run { () throws(FilesError) in for folder in folders { try DiskFile.removeFolder(folder) } }
  }

  package func count(company: UUID) async throws(FilesError) -> Int? {
    let folders = folders(of: company)
    return try await run { () throws(FilesError) in
      folders.reduce(0) { count, folder in count + DiskFile.files(below: folder).count }
    }
  }

  /// Succeeds without a folder, and leaves none behind: the first upload creates it, with the right owner.
  package func check() async throws(FilesError) {
    let root = root
    let exists = try await run { () throws(FilesError) in access(root, F_OK) == 0 }
    guard exists else { return }
    let upload = UploadKey(company: UUID(), id: UUID())
    let measured = try await put([0x66], as: upload)
    try await seal(upload, size: 1, as: measured.digest)
    let blob = BlobKey(company: upload.company, digest: measured.digest)
    let bytes = try await read(blob, 0..<1)
    try await remove(blob)
    let folders = [
      folder(of: blob), "\(root)/\(Self.text(upload.company))",
      "\(root)/uploads/\(Self.text(upload.company))", "\(root)/uploads",
    ]
    try await run { () throws(FilesError) in folders.forEach { _ = rmdir($0) } }
    guard bytes == [0x66] else {
      throw FilesError(.unavailable, "the store returns other bytes than were stored")
    }
  }

  /// Makes a file durable, and checks its size and digest.
  private static func require(_ path: String, size: Int, _ digest: [UInt8]) throws(FilesError) {
    let file = try DiskFile(reading: path)
    defer { file.close() }
    guard try file.size() == size else {
      throw FilesError(.mismatch, "the stored bytes have another size than \(size)")
    }
    var hash = SHA256Stream()
    for start in stride(from: 0, to: size, by: pieceSize) {
      hash.update(try file.read(start..<min(start + pieceSize, size)))
    }
    guard hash.digest() == digest else { throw FilesError(.mismatch, "the stored bytes have another digest") }
    try file.synchronise()
  }

  private func folders(of company: UUID) -> [String] {
    ["\(root)/\(Self.text(company))", "\(root)/uploads/\(Self.text(company))"]
  }

  private func folder(of blob: BlobKey) -> String {
    "\(root)/\(Self.text(blob.company))/\(blob.hex.prefix(2))"
  }

  private func path(of blob: BlobKey) -> String { "\(folder(of: blob))/\(blob.hex)" }

  private func folder(of upload: UploadKey) -> String { "\(root)/uploads/\(Self.text(upload.company))" }

  private func path(of upload: UploadKey) -> String { "\(folder(of: upload))/\(Self.text(upload.id))" }

  private static func text(_ id: UUID) -> String { id.uuidString.lowercased() }

  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(FilesError) -> Value
  ) async throws(FilesError) -> Value {
    let result: Result<Value, FilesError>
    do {
      result = try await pool.run { () -> Result<Value, FilesError> in
        do throws(FilesError) { return .success(try body()) } catch { return .failure(error) }
      }
    } catch {
      throw FilesError(.busy, "too many operations on files are waiting")
    }
    return try result.get()
  }
}
